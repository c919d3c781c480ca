"""Back and forward through where a tab has been."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.panes.history import LIMIT, History

STEPS = st.lists(
    st.integers(0, 5).map(lambda n: b"/%d" % n) | st.sampled_from(["back", "forward", "forget"]), max_size=60
)


@given(STEPS)
def test_it_behaves_like_a_browsers_history(steps):
    history, past, future = History(), [], []
    for step in steps:
        if step == "back" and len(past) > 1:
            assert history.peek(-1).path == past[-2]
            history.move(-1)
            future.append(past.pop())
        elif step == "forward" and future:
            assert history.peek(1).path == future[-1]
            history.move(1)
            past.append(future.pop())
        elif step == "forget" and len(past) > 1:
            history.forget(-1)
            del past[-2]
        elif isinstance(step, bytes):
            history.visit(step)
            if not past or past[-1] != step:
                past.append(step)
                future.clear()
        assert (history.peek(-1) is None) == (len(past) < 2)
        assert (history.peek(1) is None) == (not future)
        if past:
            assert history.visits[history.here].path == past[-1]


def test_the_cursor_is_remembered_for_each_visit():
    history = History()
    history.visit(b"/a")
    history.remember_cursor(b"x")
    history.visit(b"/b")
    history.remember_cursor(b"y")
    assert history.peek(-1).cursor == b"x"
    assert history.last_cursor(b"/b") == b"y"
    assert history.last_cursor(b"/c") is None


def test_only_the_last_hundred_visits_are_kept():
    history = History()
    for number in range(LIMIT + 50):
        history.visit(b"/%d" % number)
    assert len(history.visits) == LIMIT
    assert history.visits[history.here].path == b"/149"
    assert history.visits[0].path == b"/50"


def test_forgetting_what_lies_ahead_leaves_the_current_visit():
    history = History()
    for path in (b"/a", b"/b", b"/c"):
        history.visit(path)
    history.move(-1)
    history.forget(1)
    assert history.visits[history.here].path == b"/b"
    assert history.peek(1) is None


def test_nothing_is_remembered_before_the_first_visit():
    history = History()
    history.remember_cursor(b"x")
    assert history.visits == []
