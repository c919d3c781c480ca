"""`[[rules]]` as people write them: read in every part or told with the line of the mistake, and written back."""

import tomllib
from datetime import datetime

import pytest
import tomlkit

from cmdr.model.plans.plan import Verb
from cmdr.model.rule_entries import rules_in, table_of
from cmdr.model.rules import MAX_RULES, Budget, Rule

GOOD = """\
[[rules]]
number = 2
client = "claude"
verbs = ["move", "copy"]
roots = ["/home/me/Downloads"]
files = 200
bytes = "2 GiB"
operations = 60
"""


def read(text):
    return rules_in(tomllib.loads(text).get("rules"), text)


def test_an_entry_says_what_it_says():
    (rule,) = read(GOOD)
    assert rule == Rule(
        2, "claude", frozenset({Verb.MOVE, Verb.COPY}), (b"/home/me/Downloads",), Budget(200, 2 << 30, 60)
    )
    assert (rule.line, rule.problem) == (1, "")


def test_without_rules_there_are_none():
    assert read("[general]\nview = 'full'\n") == ()


def test_the_home_and_single_words_are_welcome(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    text = GOOD.replace('["/home/me/Downloads"]', '"~/Downloads/"').replace('["move", "copy"]', '"move"')
    (rule,) = read(text)
    assert (rule.roots, rule.verbs) == ((b"/home/me/Downloads",), frozenset({Verb.MOVE}))
    assert read(GOOD.replace('["/home/me/Downloads"]', '["/"]'))[0].roots == (b"/",)


@pytest.mark.parametrize(
    ("size", "means"),
    [("5", 5), ('"5"', 5), ('"5 B"', 5), ('"1.5 KiB"', 1536), ('"2TiB"', 2 << 40), ('"2 GB"', 2 << 30), ("0", 0)],
)
def test_sizes_are_numbers_or_words(size, means):
    assert read(GOOD.replace('"2 GiB"', size))[0].budget.bytes == means


def test_times_are_moments_or_whole_days():
    (moment,) = read(GOOD + "until = 2026-11-18T10:00:00Z\n")
    assert moment.until == 1_794_996_000
    (day,) = read(GOOD + "until = 2026-11-18\n")
    assert datetime.fromtimestamp(day.until).strftime("%F %T") == "2026-11-18 23:59:59"


MISTAKES = {
    'verbs = ["moove"]': "line 5: verbs is a list of attributes, copy, link, mkdir",
    'verbs = ["delete"]': "line 5: verbs is a list of ",
    'verbs = ["undo"]': "line 5: verbs is a list of ",
    'verbs = ["run"]': "line 5: verbs is a list of ",
    "verbs = []": "line 5: verbs is a list of ",
    "verbs = 3": "line 5: verbs is a list of ",
    'client = "*"': "line 4: client is the name of one client",
    "client = 3": "line 4: client is the name of one client",
    'client = "a b"': "line 4: client is the name of one client",
    'roots = ["Downloads"]': "line 6: roots holds Downloads, which is no whole path",
    'roots = ["/a/../b"]': "line 6: roots holds /a/../b, which is no whole path",
    'roots = ["/a\\u0000"]': "line 6: roots holds ",
    "roots = []": "line 6: roots is a list of one to 8 folders",
    "roots = [1]": "line 6: roots is a list of one to 8 folders",
    "files = 0": "line 7: files is a whole number from 1 to 1000000",
    "files = true": "line 7: files is a whole number",
    'files = "200"': "line 7: files is a whole number",
    'bytes = "2 lots"': 'line 8: bytes is a size such as "2 GiB"',
    "bytes = -1": 'line 8: bytes is a size such as "2 GiB"',
    "bytes = 1.5": 'line 8: bytes is a size such as "2 GiB"',
    "bytes = true": 'line 8: bytes is a size such as "2 GiB"',
    "operations = 5000": "line 9: operations is a whole number from 1 to 1000",
    "number = 0": "line 3: number is a whole number from 1",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_line(mistake):
    key = mistake.split()[0]
    lines = ["# mine", *(mistake if line.startswith(f"{key} ") else line for line in GOOD.splitlines())]
    (rule,) = read("\n".join(lines))
    assert rule.problem.startswith(MISTAKES[mistake]), rule.problem
    assert rule.line == 2 and rule.roots == ()


ADDED = {
    "overwrites = 1": "line 9: overwrites is true or false",
    'until = "tomorrow"': "line 9: until is a date or a time",
    "until = 0001-01-01": "line 9: until is a date or a time",
    "suspended = false": "line 9: suspended is text",
    "widen = true": "line 9: widen is nothing that a rule has",
}


@pytest.mark.parametrize("line", ADDED)
def test_what_is_written_besides_must_be_right_too(line):
    assert read(GOOD + line + "\n")[0].problem.startswith(ADDED[line])


@pytest.mark.parametrize("key", ["client", "verbs", "roots", "files", "bytes", "operations"])
def test_what_is_missing_is_told_with_the_line_of_the_entry(key):
    text = "\n" + "\n".join(line for line in GOOD.splitlines() if not line.startswith(key))
    assert read(text)[0].problem == f"line 2: {key} is missing"


def test_a_mistake_in_one_leaves_the_others():
    broken = GOOD.replace("number = 2", "number = 3").replace('"claude"', "1")
    first, second, third = read(GOOD + broken + GOOD.replace("number = 2", "number = 4").replace("200", "300"))
    assert [bool(rule.problem) for rule in (first, second, third)] == [False, True, False]
    assert second.number == 3 and second.problem.startswith("line 11: ")


def test_a_number_that_is_taken_and_a_rule_said_twice_are_mistakes():
    again = GOOD.replace("files = 200", "files = 300")
    assert read(GOOD + again)[1].problem == "line 9: number 2 is taken by the rule in line 1"
    same = GOOD.replace("number = 2\n", "")
    assert read(GOOD + same)[1].problem == "line 9: says the same as the rule in line 1"


@pytest.mark.parametrize("text", ["rules = 3\n", "rules = 'all'\n", "[rules]\nclient = 'claude'\n"])
def test_what_is_no_list_of_tables_is_one_mistake(text):
    (rule,) = read("\n" + text)
    assert "rules is written as [[rules]]" in rule.problem


def test_rules_in_one_line_are_read_too():
    text = "x = 1\nrules = [{client = 'claude', verbs = 'move'}, 5]\n"
    first, second = read(text)
    assert first.problem == "line 2: roots is missing"
    assert second.problem == "line 2: a rule is a table"


def test_there_are_only_so_many():
    many = "".join(
        GOOD.replace("number = 2", f"number = {n + 1}").replace("200", f"{n + 1}") for n in range(MAX_RULES + 1)
    )
    rules = read(many)
    assert not any(rule.problem for rule in rules[:-1])
    assert "there are 100 rules before it already" in rules[-1].problem


def test_what_is_written_reads_back_the_same(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    rule = Rule(
        7,
        "claude",
        frozenset({Verb.TRASH}),
        (b"/home/me/a\xff\\b", b"/srv"),
        Budget(5, 1234, 9),
        True,
        1_800_000_000.0,
        "why",
    )
    table = table_of(rule, b"/home/me")
    assert table["roots"][0].startswith("~/a\\xff")
    text = tomlkit.dumps({"rules": [table]})
    (again,) = read(text)
    assert again == rule and not again.problem
    (plain,) = read(tomlkit.dumps({"rules": [table_of(Rule(1, "c", rule.verbs, (b"/a",), Budget(1, 2 << 30, 1)))]}))
    assert plain.until is None and plain.budget.bytes == 2 << 30
