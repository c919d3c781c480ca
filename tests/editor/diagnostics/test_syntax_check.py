"""Built-in checks find the place of a mistake, run nothing, and survive texts made to break parsers."""

import asyncio

import pytest

from cmdr.editor.diagnostics.syntax_check import check_syntax
from cmdr.model.texts.text_selection import Position


def check(text, language, deadline=20.0):
    return asyncio.run(check_syntax(text, language, deadline))


@pytest.mark.parametrize(
    ("language", "good"),
    [
        ("python", "x = 1\n"),
        ("json", '{"a": [1, null]}'),
        ("toml", "a = 1\n[b]\n"),
        ("yaml", "a: &x [1]\nb: *x\n---\nc: 2\n"),
        ("lua", "not checked ((("),
    ],
)
def test_good_texts_have_nothing_to_say(language, good):
    assert check(good, language) == ()


@pytest.mark.parametrize(
    ("language", "bad", "place"),
    [
        ("python", "x = 1\nx = (\n", (1, 4)),
        ("python", "s = '😀'; y = = 2\n", (0, 14)),
        ("json", '{\n  "a": 1,,\n}', (1, 9)),
        ("toml", "a = 1\nb = = 2\n", (1, 4)),
        ("yaml", "a: 1\nb: [1, 2\nc: 3\n", (2, 1)),
        ("yaml", "a: *nowhere\n", (0, 3)),
    ],
)
def test_mistakes_are_found_at_their_place(language, bad, place):
    (found,) = check(bad, language)
    assert (found.severity, found.source, found.range.start) == ("Error", language, Position(*place))
    assert found.message


def test_an_invalid_escape_is_a_warning():
    (found,) = check('x = "\\d"\n', "python")
    assert found.severity == "Warning"


def test_nothing_in_the_text_is_run(tmp_path):
    victim = tmp_path / "made"
    check(f"open({str(victim)!r}, 'w')\n", "python")
    check(f"!!python/object/apply:os.system ['touch {victim}']\n", "yaml")
    assert not victim.exists()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "(" * 200_000),
        ("python", "-" * 300_000 + "1"),
        ("json", "[" * 200_000),
        ("yaml", "[" * 20_000),
        ("python", "x = 1\0"),
    ],
    ids=["brackets", "signs", "arrays", "flows", "nul"],
)
def test_texts_made_to_break_parsers_break_nothing(language, text):
    check(text, language)


def test_a_check_ends_at_its_deadline():
    wrong_at_its_end = "- [a, b, c, {d: e}]\n" * 150_000 + "]\n"
    with pytest.raises(TimeoutError):
        check(wrong_at_its_end, "yaml", deadline=0.05)
    assert check(wrong_at_its_end[-40:], "yaml") != ()
