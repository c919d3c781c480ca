"""Built-in syntax checks for Python, JSON, TOML and YAML, each in a short-lived process with a deadline."""

import asyncio
import contextlib
import json
import os
import sys
from typing import Any

from cmdr.model.texts.diagnostic import Diagnostic
from cmdr.model.texts.text_selection import Position, TextIndex, TextSelection, utf16_column

LANGUAGES = frozenset({"python", "json", "toml", "yaml"})
_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "syntax_worker.py")
_MAX_CHARS = 4 * 1024 * 1024
"""Longer texts are not checked: no answer would come in time."""


async def check_syntax(text: str, language_id: str, deadline: float = 1.0) -> tuple[Diagnostic, ...]:
    """What is wrong with a text, or TimeoutError; nothing when no check knows the language."""
    if language_id not in LANGUAGES or len(text) > _MAX_CHARS:
        return ()
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        _WORKER,
        language_id,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(deadline):
            output, _ = await child.communicate(text.encode("utf-8", "surrogatepass"))
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode:
        return ()
    index = TextIndex(text)
    return tuple(_diagnostic(found, index, language_id) for found in json.loads(output))


def _diagnostic(found: dict[str, Any], index: TextIndex, source: str) -> Diagnostic:
    start = _position(index, found["line"], found["column"])
    end = start
    if found["end"]:
        end = max(start, _position(index, *found["end"]))
    return Diagnostic(found["message"], found["severity"], TextSelection(start, end), source)


def _position(index: TextIndex, line: int, column: int) -> Position:
    """A place given in characters; parsers name places after the last line too."""
    line = min(line, index.line_count - 1)
    return Position(line, utf16_column(index.line(line), column))
