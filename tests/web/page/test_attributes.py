"""Permissions as boxes: what the chosen files have, and what a tick or a number makes of it, told to the page."""

import os

import pytest


@pytest.fixture
def chosen(person, order, tree):
    """Choose files of the left pane."""

    def choose(*names):
        order("select", pane="left", names=[*names])
        return person.post("/page/chosen", json={"pane": "left"}).json()["id"]

    yield choose
    order("selection.none", pane="left")


def ticked(person, boxes, **wanted):
    return person.post("/page/attributes/ticked", json={"boxes": boxes, **wanted}).json()


def test_boxes_show_what_the_files_have_and_the_number_and_the_wish_follow_them(person, chosen, tree):
    (tree / "notes.md").chmod(0o640)
    os.utime(tree / "notes.md", (0, 1_000_000_000))
    told = person.post("/page/attributes", json={"chosen": chosen("notes.md")}).json()
    boxes = told["boxes"]
    assert (boxes["octal"], boxes["letters"], boxes["wish"]) == ("0640", "rw-r-----", "")
    assert told["bits"][0] == [0o400, 0o200, 0o100]
    assert told["modifiedHint"].startswith("2001-09-")
    boxes = ticked(person, boxes, toggle=0o100)["boxes"]
    assert (boxes["octal"], boxes["wish"], boxes["states"][str(0o100)]) == ("0740", "u+x", True)
    boxes = ticked(person, boxes, octal="4600")["boxes"]
    assert (boxes["letters"], boxes["wish"]) == ("rwS------", "u+s,g-r")
    wrong = ticked(person, boxes, octal="89")
    assert wrong["problem"] == '"89" is no octal mode: it has digits from 0 to 7, as in 0644.'
    assert wrong["boxes"] == boxes


def test_where_files_differ_a_box_is_neither_and_stays_so_until_it_is_ticked(person, chosen, tree):
    (tree / "notes.md").chmod(0o600)
    (tree / "photos").chmod(0o755)
    os.utime(tree / "notes.md", (0, 1_000_000_000))
    told = person.post("/page/attributes", json={"chosen": chosen("notes.md", "photos")}).json()
    boxes = told["boxes"]
    assert (boxes["octal"], boxes["letters"], boxes["states"][str(0o100)]) == ("", "they differ", None)
    assert told["modifiedHint"].startswith("they differ")
    states = []
    for _ in range(3):
        boxes = ticked(person, boxes, toggle=0o100)["boxes"]
        states.append((boxes["states"][str(0o100)], boxes["wish"]))
    assert states == [(True, "u+x"), (False, "u-x"), (None, "")]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"boxes": None, "toggle": 64},
        {"boxes": {"every": "1", "some": 1, "ticked": {}}, "toggle": 64},
        {"boxes": {"every": 0, "some": 0, "ticked": {}}, "toggle": 3},
        {"boxes": {"every": 0, "some": 0, "ticked": {}}},
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(person, sent):
    answer = person.post("/page/attributes/ticked", json=sent)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")


def test_what_was_never_chosen_has_no_attributes(person):
    assert person.post("/page/attributes", json={"chosen": "made-up"}).status_code == 400
    assert person.post("/page/attributes", json={}).status_code == 400
