"""An edit of many files: each file has its own decisions, and one answer is for all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts import files_review
from cmdr.model.texts.diff import Decision
from cmdr.model.texts.files_review import FilesReview, NoSuchFileError, TooMuchToReviewError
from cmdr.model.texts.proposed_edit import AlreadyResolvedError, ReviewState, StaleReviewError
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import UnencodableTextError, read_text


def review_of(*pairs):
    """A review of files that hold the first of each pair and shall hold the second."""
    about = {"connection": "c", "agent": "a", "tab": "t"}
    files = [
        Review("r_1", **about, path=f"/{number}".encode(), base=read_text(old), proposed=new)
        for number, (old, new) in enumerate(pairs)
    ]
    return FilesReview("r_1", **about, files=files)


def two():
    return review_of((b"a\nb\nc\n", "A\nb\nC\n"), (b"x\n", "y\n"))


def test_one_answer_is_for_all_files():
    review = two()
    outcomes = []
    review.when_resolved(outcomes.append)
    assert review.changes == 3
    assert not review.accept(review.digest).edited
    assert [file.outcome.content for file in review.files] == [b"A\nb\nC\n", b"y\n"]
    assert [outcome.state for outcome in outcomes] == [ReviewState.ACCEPTED]
    with pytest.raises(AlreadyResolvedError):
        review.reject()
    with pytest.raises(AlreadyResolvedError):
        review.decide_file(0, Decision.REJECTED)


def test_dropped_and_changed_files_are_left_out():
    review = two()
    review.decide_file(0, Decision.REJECTED)
    assert review.wanted == (1,)
    assert review.accept(review.digest).edited
    assert [file.state for file in review.files] == [ReviewState.REJECTED, ReviewState.ACCEPTED]
    other = two()
    other.accept(other.digest, {0})
    assert (other.unwritten, other.files[0].state) == ({0}, ReviewState.REJECTED)
    last = two()
    assert last.accept(last.digest, {0, 1}).reason == "changed on disk"


def test_an_answer_to_something_else_is_refused():
    review = two()
    shown = review.digest
    review.file(0).decide(1, Decision.REJECTED)
    assert review.digest != shown
    with pytest.raises(StaleReviewError):
        review.accept(shown)
    with pytest.raises(NoSuchFileError):
        review.file(2)
    assert review.state is ReviewState.PENDING


def test_what_one_encoding_refuses_answers_nothing():
    review = review_of((b"a\n", "b\n"), (b"\xe9\n", "e\n"))
    review.file(1).edit_proposed("日\n")
    with pytest.raises(UnencodableTextError):
        review.accept(review.digest)
    assert review.state is review.files[0].state is ReviewState.PENDING


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_CHANGES", "MAX_CHARACTERS"])
def test_more_than_one_review_holds_is_refused(monkeypatch, limit):
    monkeypatch.setattr(files_review, limit, 1)
    with pytest.raises(TooMuchToReviewError):
        two()


TEXTS = st.lists(st.sampled_from(["a", "b", "é", "日"]), min_size=1, max_size=12)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(
    st.lists(st.tuples(TEXTS, TEXTS, ENDS, st.sampled_from(["utf-8", "utf-16", "utf-8-sig"])), min_size=1, max_size=4),
    st.data(),
)
def test_whatever_is_taken_keeps_encoding_and_line_ends_and_nothing_taken_keeps_every_byte(files, data):
    pairs = [(end.join([*old, ""]).encode(encoding), "\n".join([*new, ""])) for old, new, end, encoding in files]
    review = review_of(*pairs)
    for file in review.files:
        for hunk in range(len(file.decisions)):
            if data.draw(st.booleans()):
                file.decide(hunk, Decision.REJECTED)
    review.accept(review.digest)
    for file, (content, new), (_, _, end, encoding) in zip(review.files, pairs, files, strict=True):
        if file.outcome is None or file.outcome.content is None:
            continue
        if Decision.REJECTED not in file.decisions:
            assert file.outcome.content == new.replace("\n", end).encode(encoding)
        elif file.is_dropped:
            assert file.outcome.content == content
        assert file.outcome.content.decode(encoding).replace(end, "").isalpha()
