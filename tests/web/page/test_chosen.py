"""What a window acts on: the selection, or only the entry that is dragged."""

import pytest


@pytest.fixture
def chosen(person, order):
    """What is chosen in the left pane, with the cursor on one entry and others selected."""

    def ask(**how):
        order("move_cursor", pane="left", to="notes.md")
        order("select", pane="left", names=["photos"], mode="replace")
        told = person.post("/page/chosen", json={"pane": "left", **how}).json()
        order("selection.none", pane="left")
        return told

    return ask


def test_the_selection_is_chosen(chosen):
    assert chosen()["names"] == ["photos"]


def test_what_is_dragged_alone_is_the_entry_under_the_cursor(chosen):
    assert chosen(isAlone=True)["names"] == ["notes.md"]


def test_on_the_way_up_nothing_is_dragged(person, order):
    order("cursor.up_row", pane="left")
    assert person.post("/page/chosen", json={"pane": "left", "isAlone": True}).json()["count"] == 0
