"""What would be lost if the program ended now, in words."""

from types import SimpleNamespace

from cmdr.core.changes.unfinished import unfinished


def desk(*, unsaved=0, running=0, proposals=0, edits=0, lent=False):
    return SimpleNamespace(
        proposals=SimpleNamespace(pending=lambda: [None] * proposals),
        services=SimpleNamespace(waiting_reviews=lambda: [None] * edits, unsaved_files=lambda: [None] * unsaved),
        jobs=SimpleNamespace(running=lambda: [None] * running),
        desktop=SimpleNamespace(terminal_suspended=lent),
    )


def test_where_nothing_is_open_nothing_is_told():
    assert unfinished(desk()) == []


def test_each_kind_of_open_work_is_counted_in_a_phrase():
    assert unfinished(desk(unsaved=1, running=2, proposals=1, edits=3)) == [
        "1 file with unsaved text",
        "2 operations still running",
        "1 proposal waiting for an answer",
        "3 edits waiting for review",
    ]


def test_an_editor_that_is_open_counts_too():
    assert unfinished(desk(lent=True)) == ["the person's editor or shell is open"]
