"""The table of actions reaches the page with the person's own keys in it, and the page keeps no other."""

import re
from pathlib import Path

import pytest

from cmdr.model.actions import ACTIONS, Face, offered
from cmdr.model.results.inbox import LETTERS, QUESTIONS

SCRIPTS = Path(__file__).parents[3] / "src" / "cmdr" / "web" / "static" / "page"
OTHER_THINGS = {("review.js", "Edit")}
"""What windows call things of their own by a word that is an action's as well."""
WINDOW_KEYS = {"Save (Ctrl+S)", "● changed and not saved. Ctrl+S saves; Esc once more throws the changes away."}
"""Keys inside a window, which the table of the panes does not have."""


@pytest.fixture
def table(person):
    """The table as the page reads it."""
    return lambda: person.get("/page/actions").json()


@pytest.fixture
def keys_as_usual(order):
    """Takes back what a test binds."""
    bound = []

    def bind(action, keys):
        bound.append(action)
        order("settings.bind", action=action, keys=keys)

    yield bind
    for action in bound:
        order("settings.bind", action=action)


def served(table):
    return {action["id"]: action for section in table["sections"] for action in section["actions"]}


def test_the_page_is_served_every_action_that_it_offers(table):
    found = served(table())
    assert set(found) == {action.id for action in offered(Face.PAGE)}
    for action in offered(Face.PAGE):
        told = found[action.id]
        assert (told["title"], told["word"], told["command"]) == (action.title, action.word, action.command)
        assert told["keys"], action.id
    assert table()["problems"] == []


def test_every_action_of_the_page_has_a_function_or_a_command_and_no_function_is_left_over():
    script = (SCRIPTS / "core" / "actions.js").read_text(encoding="utf-8").partition("export const ACTIONS = {")[2]
    functions = set(re.findall(r"^  (\w+)[:,]", script.partition("\n};")[0], re.MULTILINE))
    moving = (SCRIPTS / "panes" / "moving.js").read_text(encoding="utf-8").partition("export const PLACES = {")[2]
    functions |= set(re.findall(r"^  (\w+):", moving.partition("\n};")[0], re.MULTILINE))
    assert {action.id for action in offered(Face.PAGE) if not action.command} <= functions
    assert functions <= {action.id for action in offered(Face.PAGE)}


def test_what_waits_is_answered_with_the_same_keys_as_in_every_face():
    script = (SCRIPTS / "windows" / "inbox_answers.js").read_text(encoding="utf-8")
    keys = {answer: key for key, answer in re.findall(r"\{ key: '(\w+)', answer: '(\w+)'", script)}
    del keys["look"], keys["close"]  # windows that agents opened: nothing that is answered
    assert keys == {answer.value: letter for answer, letter in LETTERS.items()}
    (questions,) = re.findall(r"QUESTIONS = new Set\(\[([^\]]*)\]", script)
    assert set(re.findall(r"\w+", questions)) == {answer.value for answer in QUESTIONS}


def test_no_script_has_titles_or_keys_of_its_own():
    """The page had a table of its own, and Alt+U and Alt+T meant other things than in the terminal."""
    names = {name for action in ACTIONS for name in (action.title, action.word) if name}
    for script in SCRIPTS.rglob("*.js"):
        text = re.sub(r"/\*.*?\*/|^\s*//.*$", "", script.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for quoted in re.findall(r"'((?:[^'\\\n]|\\.)*)'", text):
            assert quoted not in names or (script.name, quoted) in OTHER_THINGS, f"{script.name}: {quoted}"
            is_combination = re.search(r"\b(?:ctrl|alt|shift)\+", quoted, re.IGNORECASE)
            assert not is_combination or quoted in WINDOW_KEYS, f"{script.name}: {quoted}"
    page = (SCRIPTS / "index.html").read_text(encoding="utf-8")
    assert not [name for name in names if f">{name}<" in page]


def test_a_choice_is_in_the_next_table_with_the_title_of_a_command(page_state, table, keys_as_usual):
    before = page_state()["actions"]
    assert table()["tag"] == before
    assert table()["commands"] == []
    keys_as_usual("copy", ["F5", "Ctrl+E"])
    keys_as_usual("file.copyPath", ["Ctrl+L"])
    keys_as_usual("nonsense", ["x"])
    assert page_state()["actions"] == table()["tag"] != before
    told = table()
    assert served(told)["copy"]["keys"] == ["F5", "Ctrl+E"]
    assert served(told)["copy"]["isOwn"] and not served(told)["move"]["isOwn"]
    assert told["commands"] == [{"id": "file.copyPath", "title": "Copy path", "keys": ["Ctrl+L"]}]
    assert (told["bound"]["ctrl+e"], told["bound"]["ctrl+l"]) == ("copy", "file.copyPath")
    assert told["problems"] == ["nonsense: no such action or command"]


def test_signs_are_bound_as_a_browser_tells_of_them(table):
    bound = table()["bound"]
    assert (bound["+"], bound["alt+."], bound["ctrl+_"], bound["alt+?"]) == ("select_mask", "hidden", "root", "find")


def test_what_a_browser_keeps_is_told_and_leaves_the_usual_keys(table, keys_as_usual):
    keys_as_usual("new_tab", ["Ctrl+T"])
    assert served(table())["new_tab"]["keys"] == ["Alt+Shift+T"]
    assert table()["problems"] == ["Ctrl+T cannot be used here for New tab: it belongs to the browser"]


def test_an_address_for_programs_is_no_command_for_a_key(table, keys_as_usual):
    keys_as_usual("job.status", ["x"])
    assert "x" not in table()["bound"]
