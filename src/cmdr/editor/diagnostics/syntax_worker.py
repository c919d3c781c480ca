"""Parses one text, given on standard input, and prints what is wrong with it; a program of its own.

Run as `python -I syntax_worker.py LANGUAGE`. A parser can be made to recurse until its process dies, or to run for
minutes; here that costs a child that is ended at its deadline, not the commander. Nothing in the text is executed.
"""

import json
import sys
import warnings
from typing import Any

Finding = dict[str, Any]

_MEMORY_BYTES = 1024**3


def _finding(
    message: str, line: int, column: int, end: tuple[int, int] | None = None, severity: str = "Error"
) -> Finding:
    """Lines and columns from 0, columns in characters; the caller turns them into UTF-16."""
    return {"message": message, "line": max(line, 0), "column": max(column, 0), "end": end, "severity": severity}


def check_python(text: str) -> list[Finding]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found: list[Finding] = []
        try:
            compile(text, "<file>", "exec", flags=0x400, dont_inherit=True)  # 0x400: parse only, make no code
        except SyntaxError as error:
            end = None
            if error.end_lineno and error.end_offset:
                end = (error.end_lineno - 1, error.end_offset - 1)
            found.append(_finding(error.msg, (error.lineno or 1) - 1, (error.offset or 1) - 1, end))
    return found + [_finding(str(each.message), each.lineno - 1, 0, None, "Warning") for each in caught]


def check_json(text: str) -> list[Finding]:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return [_finding(error.msg, error.lineno - 1, error.colno - 1)]
    return []


def check_toml(text: str) -> list[Finding]:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, column = _toml_place(text, error)
        return [_finding(str(error), line, column)]
    return []


def _toml_place(text: str, error: Exception) -> tuple[int, int]:
    """Where a TOML error is: Python names the place from 3.14 on, tomlkit always does."""
    line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
    if isinstance(line, int) and isinstance(column, int):
        return line - 1, column - 1
    try:
        import tomlkit
        from tomlkit.exceptions import ParseError
    except ImportError:
        return 0, 0
    try:
        tomlkit.parse(text)
    except ParseError as second:
        return second.line - 1, second.col  # tomlkit counts columns from 0, lines from 1
    return 0, 0


def check_yaml(text: str) -> list[Finding]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.compose_all(text, Loader=loader):  # nodes only: nothing is constructed, no alias is expanded
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        return [_finding(error.problem or error.context or "invalid YAML", line, column)]
    except yaml.YAMLError as error:
        return [_finding(str(error).splitlines()[0], 0, 0)]
    return []


CHECKS = {"python": check_python, "json": check_json, "toml": check_toml, "yaml": check_yaml}


def main() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    try:
        found = CHECKS[sys.argv[1]](text)
    except ImportError:
        found = []
    except (RecursionError, MemoryError):
        found = [_finding("nested too deeply to be parsed", 0, 0)]
    except ValueError as error:
        found = [_finding(str(error), 0, 0)]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
