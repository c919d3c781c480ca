"""A review is answered exactly once, gives back exactly what was accepted, and never overwrites unseen changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts import review_queue
from cmdr.model.texts.diff import BinaryContentError, Decision
from cmdr.model.texts.merge import ConflictStandsError
from cmdr.model.texts.proposed_edit import AlreadyResolvedError, ReviewState, StaleReviewError
from cmdr.model.texts.review import (
    MAX_PROPOSED_BYTES,
    NoSuchHunkError,
    ProposalTooLargeError,
    Review,
    take_proposed,
)
from cmdr.model.texts.review_queue import ReviewQueue
from cmdr.model.texts.text_format import TextFormat, UnencodableTextError, read_text

PIECES = st.lists(st.sampled_from(["a", "é", "😀", "\n", "\r\n", "\r", "\ufeff", "\u2028", "日"]), max_size=20).map(
    "".join
)
BASE = b"one\ntwo\nthree\nfour\nfive\n"


def review(base=BASE, proposed="one\n2\nthree\nfour\n5\n", *, id="r1", connection="c1", tab="tab", **more):
    file = None if base is None else read_text(base)
    return Review(
        id, connection=connection, agent="agent:claude", tab=tab, path=b"/w/f", base=file, proposed=proposed, **more
    )


def test_accepting_gives_the_proposed_text_and_its_bytes():
    outcome = review().accept()
    assert (outcome.state, outcome.text, outcome.edited) == (ReviewState.ACCEPTED, "one\n2\nthree\nfour\n5\n", False)
    assert outcome.content == b"one\n2\nthree\nfour\n5\n"


def test_rejected_hunks_stay_as_they_were():
    edit = review()
    edit.decide(0, Decision.REJECTED)
    outcome = edit.accept()
    assert (outcome.text, outcome.edited) == ("one\ntwo\nthree\nfour\n5\n", True)


def test_rejecting_every_hunk_is_a_rejection():
    edit = review()
    for hunk in range(2):
        edit.decide(hunk, Decision.REJECTED)
    assert edit.accept().state is ReviewState.REJECTED


def test_only_the_first_answer_counts():
    edit = review()
    seen = []
    edit.when_resolved(seen.append)
    edit.reject("tab closed")
    for late in (edit.accept, edit.reject, lambda: edit.decide(0, Decision.ACCEPTED), lambda: edit.edit_proposed("")):
        with pytest.raises(AlreadyResolvedError, match="already rejected"):
            late()
    edit.when_resolved(seen.append)
    assert [(outcome.state, outcome.reason) for outcome in seen] == [(ReviewState.REJECTED, "tab closed")] * 2


def test_an_answer_to_an_older_picture_is_refused():
    edit = review()
    shown = edit.digest
    edit.edit_proposed("else\n")
    with pytest.raises(StaleReviewError):
        edit.accept(shown)
    assert edit.accept(edit.digest).text == "else\n"


def test_editing_the_proposed_side_keeps_decisions_on_untouched_hunks():
    edit = review()
    edit.decide(0, Decision.REJECTED)
    edit.edit_proposed("one\n2\nthree\nfour\nfive and more\n")
    assert edit.decisions == (Decision.REJECTED, Decision.UNDECIDED)
    assert edit.accept().text == "one\ntwo\nthree\nfour\nfive and more\n"


def test_a_crlf_file_keeps_its_line_ends_and_the_agent_gets_its_own_back():
    edit = review(b"a\r\nb\r\n", "a\nB\n")
    assert len(edit.diff.hunks) == 1
    outcome = edit.accept()
    assert (outcome.text, outcome.content, outcome.edited) == ("a\nB\n", b"a\r\nB\r\n", False)


def test_a_byte_order_mark_is_no_change_and_stays():
    edit = review(b"\xef\xbb\xbfa\nb\n", "\ufeffa\nB\n")
    assert [hunk.old_start for hunk in edit.diff.hunks] == [1]
    outcome = edit.accept()
    assert (outcome.text, outcome.content, outcome.edited) == ("\ufeffa\nB\n", b"\xef\xbb\xbfa\nB\n", False)


def test_an_agent_that_leaves_the_byte_order_mark_out_does_not_remove_it():
    assert review(b"\xef\xbb\xbfa\n", "b\n").accept().content == b"\xef\xbb\xbfb\n"


def test_a_missing_final_newline_stays_missing():
    assert review(b"a", "b").accept().content == b"b"


def test_a_new_file_is_all_one_insertion():
    edit = review(None, "x\ny")
    assert edit.is_new_file
    assert [hunk.kind for hunk in edit.diff.hunks] == ["insert"]
    assert edit.accept().content == b"x\ny"


def test_a_rename_with_an_edit_names_both_paths():
    edit = review(new_path=b"/w/g")
    assert edit.is_rename
    assert (edit.path, edit.new_path) == (b"/w/f", b"/w/g")


def test_binary_and_huge_proposals_are_refused():
    with pytest.raises(BinaryContentError):
        review(proposed="a\0b")
    with pytest.raises(ProposalTooLargeError, match="8 MiB"):
        review(proposed="é" * (MAX_PROPOSED_BYTES // 2 + 1))


def test_text_that_the_file_cannot_hold_is_refused_before_anything_is_decided():
    edit = review(b"na\xefve\n", "日本\n")
    with pytest.raises(UnencodableTextError):
        edit.accept()
    assert edit.state is ReviewState.PENDING


def test_an_unknown_hunk_is_refused():
    with pytest.raises(NoSuchHunkError, match="no change 8; this edit has 2"):
        review().decide(7, Decision.ACCEPTED)


def test_a_file_changed_elsewhere_is_merged_and_shown_again():
    edit = review(proposed=BASE.decode().replace("one", "1"))
    shown = edit.digest
    edit.base_changed(read_text(BASE + b"six\n"))
    assert edit.proposed_text == "1\ntwo\nthree\nfour\nfive\nsix\n"
    assert len(edit.diff.hunks) == 1
    with pytest.raises(StaleReviewError):
        edit.accept(shown)
    outcome = edit.accept(edit.digest)
    assert outcome.edited
    assert outcome.content == b"1\ntwo\nthree\nfour\nfive\nsix\n"


def test_a_file_changed_in_the_same_lines_is_a_conflict_until_a_person_settles_it():
    edit = review()
    edit.base_changed(read_text(BASE.replace(b"two", b"zwei")))
    assert "<<<<<<< on disk\nzwei\n" in edit.proposed_text
    with pytest.raises(ConflictStandsError):
        edit.accept()
    with pytest.raises(ConflictStandsError):
        edit.edit_proposed(edit.proposed_text)
    edit.settle(0, "both")
    assert edit.accept().text == "one\nzwei\n2\nthree\nfour\n5\n"


def test_a_conflict_can_be_settled_by_writing_the_lines():
    edit = review()
    edit.base_changed(read_text(BASE.replace(b"two", b"zwei")))
    edit.edit_proposed("one\n2 zwei\n")
    assert edit.accept().text == "one\n2 zwei\n"


def test_a_file_that_changes_back_during_a_conflict_ends_it():
    edit = review()
    edit.base_changed(read_text(BASE.replace(b"two", b"zwei")))
    edit.base_changed(read_text(BASE))
    assert edit.merge is None
    assert (edit.accept().edited, edit.base_changes) == (False, 2)


def test_a_file_that_vanished_or_appeared_is_a_conflict():
    gone = review()
    gone.base_changed(None)
    assert gone.merge is not None
    came = review(None, "mine\n")
    came.base_changed(read_text(b"other\n"))
    assert came.merge is not None


@given(
    st.sampled_from([b"a\r\nb\r\n", b"a\nb", b"\xef\xbb\xbfa\n", b"a\r\nb\n", b""]),
    st.text(alphabet="ab\n\r", max_size=12),
)
def test_an_untouched_proposal_comes_back_exactly_as_sent(base, proposed):
    outcome = review(base, proposed).accept()
    assert (outcome.text, outcome.edited) == (proposed, False)


def queue_with(*reviews):
    queue = ReviewQueue()
    for each in reviews:
        queue.add(each)
    return queue


def test_reviews_wait_in_order_and_name_their_agent():
    first, second = review(id="a"), review(id="b", connection="c2")
    queue = queue_with(first, second)
    assert [(each.id, each.agent) for each in queue.waiting] == [("a", "agent:claude"), ("b", "agent:claude")]
    first.accept()
    assert [each.id for each in queue.waiting] == ["b"]


def test_equal_tab_names_of_two_connections_are_two_reviews():
    first, second = review(id="a"), review(id="b", connection="c2")
    queue = queue_with(first, second)
    assert queue.close_tabs("c1") == 1
    assert first.state is ReviewState.REJECTED
    assert second.state is ReviewState.PENDING


def test_a_second_diff_in_the_same_tab_rejects_the_first():
    first = review(id="a")
    queue = queue_with(first, review(id="b"))
    assert first.outcome.reason == "replaced"
    assert queue.in_tab("c1", "tab").id == "b"


def test_closing_a_tab_after_the_answer_changes_nothing_and_closing_it_twice_is_fine():
    first = review(id="a")
    queue = queue_with(first)
    first.accept()
    assert queue.close_tab("c1", "tab")
    assert not queue.close_tab("c1", "tab")
    assert first.state is ReviewState.ACCEPTED


def test_a_lost_client_and_a_shutdown_reject_what_waits():
    first, second = review(id="a"), review(id="b", connection="c2")
    queue = queue_with(first, second)
    queue.disconnected("c1")
    queue.shutdown()
    assert [each.outcome.reason for each in (first, second)] == ["client gone", "shutdown"]


def test_old_reviews_are_forgotten():
    reviews = [review(id=f"r{number}") for number in range(150)]
    queue = queue_with(*reviews)
    assert "r0" not in queue
    assert "r120" in queue
    assert reviews[120].state is ReviewState.REJECTED


def test_finished_reviews_whose_tabs_nobody_closes_are_forgotten_too():
    queue = ReviewQueue()
    for number in range(300):
        edit = review(id=f"r{number}", tab=f"tab {number}")
        queue.add(edit)
        edit.reject("person")
    assert sum(f"r{number}" in queue for number in range(300)) == 100
    assert len(queue.tabs(edit.connection)) == 100
    assert "r299" in queue


def test_of_long_texts_fewer_finished_reviews_are_remembered_and_always_the_last(monkeypatch):
    monkeypatch.setattr(review_queue, "_MAX_FINISHED_CHARS", 2500)
    queue = ReviewQueue()
    for number in range(5):
        edit = review(id=f"r{number}", tab=f"tab {number}", proposed="x" * (500 if number < 4 else 5000))
        queue.add(edit)
        edit.reject("person")
        if number == 3:
            assert [f"r{known}" in queue for known in range(4)] == [False, False, True, True]
    assert [f"r{known}" in queue for known in range(5)] == [False] * 4 + [True]


def test_a_client_that_sends_plain_line_ends_for_a_crlf_file_changes_nothing_by_it():
    proposed = take_proposed("a\nb\n", TextFormat(eol="\r\n"))
    assert proposed.inner == "a\nb\n"
    assert proposed.as_sent("a\nc\n") == "a\nc\n"


def test_a_byte_order_mark_sent_as_a_character_comes_back_as_one():
    proposed = take_proposed("\ufeffa\r\n", TextFormat(bom=True, eol="\r\n"))
    assert proposed.inner == "a\n"
    assert proposed.as_sent("b\n") == "\ufeffb\r\n"


@given(PIECES, st.sampled_from(["\n", "\r\n", "mixed"]), st.booleans())
def test_an_unchanged_proposal_is_given_back_as_it_was_sent(sent, eol, bom):
    proposed = take_proposed(sent, TextFormat(bom=bom, eol=eol))
    assert proposed.as_sent(proposed.inner) == sent
