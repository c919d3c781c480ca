"""What is kept about subscribers: one wish once, no more than there is room for, and nothing when it is over."""

from cmdr.mcp.subscribers import Subscribers


def test_a_wish_counts_once_however_often_it_is_told_and_the_newest_way_is_kept():
    known = Subscribers()
    assert known.add("s1", "cmdr://state", "old")
    assert known.add("s1", "cmdr://state", "new")
    assert known.of("cmdr://state") == [("s1", "cmdr://state", "new")]


def test_a_part_of_the_state_is_told_by_its_own_address():
    known = Subscribers()
    known.add("s1", "cmdr://state?pane=left", 1)
    assert known.of("cmdr://state") == [("s1", "cmdr://state?pane=left", 1)]
    assert known.of("cmdr://jobs/j_1") == []


def test_nothing_stays_of_what_was_wanted_once():
    known = Subscribers()
    for number in range(50):
        known.add("s1", f"cmdr://jobs/{number}", 1)
        known.remove("s1", f"cmdr://jobs/{number}")
    known.remove("s1", "cmdr://jobs/0")
    known.remove("s2", "cmdr://state")
    known.add("s3", "cmdr://state", 1)
    known.add("s3", "cmdr://commands", 1)
    known.forget("s3")
    known.forget("s3")
    assert (len(known), known._wanted, dict(known._hearing)) == (0, {}, {})


def test_a_session_has_room_for_so_many_and_all_sessions_together_as_well():
    known = Subscribers(per_session=2, sessions=2)
    assert [known.add("s1", uri, 1) for uri in ("a", "b", "c", "a")] == [True, True, False, True]
    known.add("s2", "a", 2)
    known.add("s3", "a", 3)
    assert [session for session, _, _ in known.of("a")] == ["s2", "s3"]
