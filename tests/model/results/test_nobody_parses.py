"""Faces, the command line and the page's scripts read fields of results, never an English sentence."""

import ast
import re
from pathlib import Path

import pytest

import cmdr

SOURCE = Path(cmdr.__file__).parent
FACES = ("cli", "tui", "web", "mcp", "ide")
READING = """startswith endswith partition rpartition removeprefix removesuffix split rsplit index find
    match search fullmatch findall finditer sub compile""".split()
WORD = re.compile(r"[A-Za-z]{3,}")
FORMATS = {
    "text/event-stream": "a media type",
    "=?base64?": "an encoded header",
    "--permission-mode": "an option that somebody typed",
    r"(\d+(?:\.\d+)?)([KMGTP]?)i?B?": "a size that somebody typed",
    "-256color": "a terminal's name",
    "kitty": "a terminal's name",
    "http://127.0.0.1:": "an address",
    "cmdr://": "an address",
    "sec-fetch-": "a header's name",
    "agent:": "a principal's id",
    "person:": "a principal's id",
    "event: over": "an event of a stream",
    "data: ": "an event of a stream",
    "Files": "what a browser calls dragged files",
    r"^#\/inbox\/[\w-]{1,80}$": "an address",
    "^Arrow": "what a browser calls a key",
}
"""What faces take apart that nobody wrote for people to read."""
SCRIPTED = re.compile(
    r"\.(?:startsWith|endsWith|split|includes|indexOf|match|matchAll|search|exec|replace)\(\s*"
    r"(?:'([^']*)'|\"([^\"]*)\"|`([^`]*)`|/((?![*/])(?:[^/\\\n]|\\.)+)/)"
)
TESTED = re.compile(r"/((?:[^/\\\n]|\\.)+)/[a-z]*\.(?:test|exec)\(")


def literals(node):
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.JoinedStr(values=parts):
            for part in parts:
                yield from literals(part)
        case ast.BinOp(left=left, right=right):
            yield from literals(left)
            yield from literals(right)


def read_by(node):
    """The texts that a piece of Python looks for in another text."""
    match node:
        case ast.Call(func=ast.Attribute(attr=method), args=[first, *_]) if method in READING:
            yield from literals(first)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute() | ast.Call()]):
            yield from literals(left)


def python_of(face):
    for path in (SOURCE / face).rglob("*.py"):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("face", FACES)
def test_no_face_looks_for_words_in_an_answer(face):
    found = {
        (path.name, text)
        for path, tree in python_of(face)
        for node in ast.walk(tree)
        for text in read_by(node)
        if WORD.search(text)
    }
    assert not {(name, text) for name, text in found if text not in FORMATS}


def test_no_script_of_the_page_looks_for_words_in_an_answer():
    found = set()
    for path in (SOURCE / "web").rglob("*.js"):
        script = path.read_text(encoding="utf-8")
        found |= {(path.name, next(filter(None, hit.groups()), "")) for hit in SCRIPTED.finditer(script)}
        found |= {(path.name, hit[1]) for hit in TESTED.finditer(script)}
    assert found
    assert not {(name, text) for name, text in found if WORD.search(text) and text not in FORMATS}


@pytest.mark.parametrize("face", FACES)
def test_no_face_reads_json_out_of_an_answers_text(face):
    for path, tree in python_of(face):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "json.loads":
                inside = {
                    ast.unparse(one) for one in ast.walk(node.args[0]) if isinstance(one, ast.Attribute | ast.Name)
                }
                assert not any(re.search(r"\b(?:words|answer|ask|run)$", name) for name in inside), (path, inside)
    for script in (SOURCE / face).rglob("*.js"):
        assert not re.search(r"JSON\.parse\(\s*await", script.read_text(encoding="utf-8")), script


@pytest.mark.parametrize(
    "planted",
    [
        'words.startswith("OK: Approved")',
        're.match(r"^proposal: (\\S+)", told)',
        'answer.words.partition("job: ")',
        'f"Opened {name}" in answer.text()',
    ],
)
def test_a_planted_reader_is_found(planted):
    texts = [text for node in ast.walk(ast.parse(planted)) for text in read_by(node)]
    assert any(WORD.search(text) and text not in FORMATS for text in texts)
