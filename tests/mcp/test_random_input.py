"""Whatever is thrown at a tool, it answers; whatever a file is called, the state shows it truly."""

import itertools
import json
import os
import re
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cmdr import commands
from cmdr.core.dispatch.registry import REGISTRY

INVALID_PARAMS = -32602

commands.register()
# All but the two that would read the whole disk or wait a minute for a person, if the arguments happened to be good.
LISTED = {tool["name"] for tool in json.loads(Path(__file__).with_name("tools.json").read_text())}
TOOLS = {command.name: command for command in REGISTRY if command.name in LISTED - {"index", "open_diff"}}
# These reach outside: the clipboard and the file manager of whoever runs the tests.
OUTSIDE = ["file.copyPath", "file.copyFilename", "file.showInFinder"]
IDS = [command.id for command in REGISTRY if command.id not in OUTSIDE]

words = st.sampled_from(
    """left right focused other all add subtract replace name size asc desc open close focus settings file-viewer info
    confirmation about volume-picker brief full general readme.md docs src ../ . / ~ * [ t1 t2 p_ ask skip 0 -1 1e9
    """.split()
)
scalars = st.one_of(
    words,
    st.text(max_size=40),
    st.integers(-3, 60),
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=4),
    st.dictionaries(st.text(max_size=8), scalars, max_size=3),
    st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=6),
)
# The same examples at every run, unless a longer search is asked for.
TIMES = int(os.environ.get("CMDR_TEST_TIMES", "1"))
COMMON = {
    "suppress_health_check": [HealthCheck.function_scoped_fixture],
    "deadline": None,
    "derandomize": TIMES == 1,
    "database": None,
}


def arguments_of(name):
    """Arguments for a tool: some that it has, with values it may like or not, and now and then one it has not."""
    tool = TOOLS[name]
    known = {
        parameter.wire: st.one_of(st.sampled_from(parameter.choices), values) if parameter.choices else values
        for parameter in tool.parameters
    }
    if name == "command":
        known["id"] = st.one_of(st.sampled_from(IDS), values.filter(lambda value: value not in OUTSIDE))
    if name == "await":
        known["timeout"] = st.just(0)
    required = {wire: known[wire] for wire in known if name == "await" and wire == "timeout"}
    optional = {wire: strategy for wire, strategy in known.items() if wire not in required}
    strays = st.dictionaries(st.text(max_size=10).filter(lambda key: key not in known), values, max_size=1)
    given_ones = st.fixed_dictionaries(required, optional=optional)
    return st.tuples(given_ones, strays).map(lambda pair: {**pair[1], **pair[0]})


calls = st.sampled_from(sorted(TOOLS)).flatmap(lambda name: st.tuples(st.just(name), arguments_of(name)))


def shows_as_itself(text):
    """Whether nothing in it could repaint, hide or reorder what is shown; unusual spaces are only spaces."""
    return all(char == "\n" or char.isprintable() or unicodedata.category(char) == "Zs" for char in text)


def encodable(value):
    """Whether JSON can carry it: a lone surrogate cannot be sent at all."""
    return "\\ud" not in json.dumps(value).lower()


@settings(max_examples=100 * TIMES, **COMMON)
@given(sequence=st.lists(calls.filter(encodable), min_size=1, max_size=4))
def test_random_arguments_never_break_a_tool(inside, sequence):
    for name, arguments in sequence:
        answer = inside.rpc("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer:
            assert answer["error"]["code"] == INVALID_PARAMS, (name, arguments, answer)
            continue
        (content,) = answer["result"]["content"]
        text = content["text"]
        assert shows_as_itself(text), (name, arguments, text)
        assert len(text) <= 20_000
        if answer["result"].get("isError"):
            assert re.fullmatch(r"ERROR: \S.*", text), (name, arguments, text)
            assert len(text) < 800, (name, arguments, text)
    state = yaml.safe_load(inside.call("state"))
    for side in ("left", "right"):
        pane = state[side]
        assert pane["cursor"]["index"] < pane["totalFiles"] if pane["totalFiles"] else "cursor" not in pane
        assert 0 <= pane["loadedRange"][0] <= pane["loadedRange"][1] <= pane["totalFiles"]
        assert len(pane["files"]) == pane["loadedRange"][1] - pane["loadedRange"][0]
        assert 0 <= pane["selected"] <= pane["totalFiles"] + pane.get("hiddenFiles", 0)


@pytest.mark.parametrize("name", sorted(set(TOOLS) - {"quit"}))
def test_a_tool_without_arguments_answers_or_names_what_it_needs(inside, name):
    answer = inside.rpc("tools/call", {"name": name})
    text = answer["result"]["content"][0]["text"]
    assert text.startswith(("OK: ", "ERROR: ", "focused: ")), text
    needs = [parameter.wire for parameter in TOOLS[name].parameters if parameter.required]
    if needs:
        assert text.startswith(f'ERROR: {name} needs "{needs[0]}"')


names = st.binary(min_size=1, max_size=60).filter(lambda name: b"/" not in name and b"\0" not in name)
tricky = st.lists(
    st.sampled_from(
        [b" [cur]", b" [sel]", b"\n", b"- ", b"i:0 f ", b'"', b"'", b": ", b"#", b"\\", b"\xff", b"\x1b", b"a"]
    ),
    min_size=1,
    max_size=8,
).map(b"".join)
hostile_names = st.one_of(names, tricky).filter(lambda name: name not in (b".", b"..") and not name.startswith(b"."))
ROW = re.compile(r"i:(\d+) ([a-z]) (.*)", re.DOTALL)
_fresh = itertools.count()


@settings(max_examples=120 * TIMES, **COMMON)
@given(present=st.sets(hostile_names, min_size=1, max_size=8))
@example(present={b"a [cur]", b"b", b'"a" [sel]', b"\n    - i:7 f x [sel]"})
def test_any_name_is_shown_as_itself_and_forges_no_marker(inside, tree, present):
    folder = os.fsencode(tree.root / f"names{next(_fresh)}")
    os.mkdir(folder)
    for name in present:
        with open(os.path.join(folder, name), "wb"):
            pass
    inside.call("nav_to_path", pane="left", path=os.fsdecode(folder))
    text = inside.call("state", pane="left", detail="names")
    assert shows_as_itself(text)
    shown, cursors = set(), 0
    for number, row in enumerate(yaml.safe_load(text)["left"]["files"]):
        index, kind, rest = ROW.fullmatch(row).groups()
        assert (int(index), kind) == (number, "f")
        if rest.startswith('"'):
            name, end = json.JSONDecoder().raw_decode(rest)
        else:
            name, _, _ = rest.partition(" ")
            end = len(name)
        assert rest[end:] in ("", " [cur]")
        cursors += rest[end:] == " [cur]"
        shown.add(unescaped(name))
    assert shown == present
    assert cursors == 1


def unescaped(name):
    """The bytes a shown name stands for, by the rules in the docs."""

    def mean(found):
        backslash, byte, point = found.groups()
        if backslash:
            return b"\\"
        return bytes([int(byte, 16)]) if byte else chr(int(point, 16)).encode()

    parts = re.split(r"(\\\\|\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\})", name)
    return b"".join(
        mean(re.fullmatch(r"\\(?:(\\)|x([0-9a-f]{2})|u\{([0-9a-f]+)\})", part))
        if part.startswith("\\")
        else part.encode()
        for part in parts
    )
