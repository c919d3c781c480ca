"""What agents did, as it reads at a prompt."""

import time

from cmdr.model.results.agents import AgentOperation, AgentRow, Agents, AgentTurn, UndoBegun, UndoOffer, undoable_words

NOON = time.mktime((2026, 11, 18, 12, 0, 0, 0, 0, -1))


def test_much_is_counted_and_the_newest_is_told():
    done = AgentOperation(12, NOON, "copy /a to /b", "2 of 3 done", None, can_undo=True)
    turn = AgentTurn("claude 3", NOON - 60, NOON, (done,), count=10, undoable=9)
    row = AgentRow("claude", False, 0.0, 0, "query_run", 2, (turn,), 9, 0, operations=14)
    assert Agents(False, 0.0, (row,), is_cut=True).text() == (
        "claude: not connected · 14 operations, 9 undoable · 2 waiting for you · now: query_run\n"
        "  turn claude 3 · 11:59–12:00 · 10 operations, 9 undoable\n"
        "       12  12:00  copy /a to /b (2 of 3 done)\n"
        "           and 9 earlier ones\n"
        "  and 4 operations in earlier turns\n"
        "There was more; name a later moment to see fewer."
    )


def test_a_client_that_only_looked_has_changed_nothing():
    row = AgentRow("claude", True, NOON, 3, "", 0, (), 0, 0)
    assert Agents(False, 0.0, (row,)).text() == "claude: connected · has changed nothing"


def test_how_much_can_be_undone_in_words():
    assert [undoable_words(*pair) for pair in ((1, 1), (3, 3), (2, 3), (0, 3))] == [
        "undoable",
        "all undoable",
        "2 undoable",
        "none undoable",
    ]


def test_an_undo_is_told_by_its_words():
    assert UndoOffer((2, 1), ("claude",), 3, NOON, "2 operations of claude").text() == "2 operations of claude"
    assert UndoBegun("j_1", (2, 1), "2 operations of claude").text() == "Undoing 2 operations of claude\njob: j_1"
