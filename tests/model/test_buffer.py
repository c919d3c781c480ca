"""Buffers keep their file exactly, know when they differ from it, and take every step back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.buffer import Buffer
from cmdr.model.open_documents import OpenDocuments
from cmdr.model.text_format import content_digest, read_text
from cmdr.model.text_selection import Position, TextSelection


def buffer(content=b"one\ntwo\n", path=b"/w/f.txt"):
    return Buffer(path, read_text(content), language_id="plaintext")


def at(line, start, end_line=None, end=None):
    first = Position(line, start)
    return TextSelection(first, first if end is None else Position(line if end_line is None else end_line, end))


PLACES = st.builds(lambda a, b, c, d: TextSelection(Position(a, b), Position(c, d)), *[st.integers(0, 5)] * 4)
EDITS = st.lists(st.tuples(PLACES, st.sampled_from(["", "x", "two\nlines", "😀", "\n"])), max_size=8)


@given(st.sampled_from([b"one\r\ntwo\r\n", b"", "a\n😀b".encode(), b"\xef\xbb\xbfx\n"]), EDITS, st.booleans())
def test_undoing_everything_brings_the_file_back_and_redoing_brings_the_edits_back(content, edits, join):
    document = buffer(content)
    for selection, text in edits:
        document.edit(selection, text, join=join)
    edited = document.text
    while document.undo():
        pass
    assert document.content() == content
    assert not document.dirty
    while document.redo():
        pass
    assert document.text == edited


@given(st.text(max_size=40), st.text(max_size=40))
def test_replacing_the_whole_text_can_be_undone(old, new):
    document = Buffer(b"/f", read_text(b""), new=True)
    document.replace_text(old)
    document.replace_text(new)
    assert document.text == new
    if old != new:
        document.undo()
    assert document.text == old


def test_an_edit_puts_the_cursor_behind_it_and_dirties_the_buffer():
    document = buffer()
    document.edit(at(1, 0, 1, 3), "2😀")
    assert (document.text, document.dirty) == ("one\n2😀\n", True)
    assert document.selection == at(1, 3)
    assert document.line_count == 3


def test_typing_is_one_step_until_the_file_is_saved():
    document = buffer(b"")
    for column, letter in enumerate("abc"):
        document.edit(at(0, column), letter, join=True)
    document.saved(content_digest(document.content()))
    document.edit(at(0, 3), "d", join=True)
    document.edit(at(0, 4), "e", join=True)
    assert document.text == "abcde"
    document.undo()
    assert (document.text, document.dirty) == ("abc", False)
    document.undo()
    assert document.text == ""
    assert not document.can_undo


def test_saving_a_revision_cleans_exactly_that_revision():
    document = buffer()
    document.edit(at(0, 0), "a")
    written, revision = document.content(), document.revision
    document.edit(at(0, 0), "b")
    document.saved(content_digest(written), revision)
    assert document.dirty
    document.undo()
    assert not document.dirty


def test_a_new_edit_after_undo_never_looks_like_the_saved_text():
    document = buffer()
    document.edit(at(0, 0), "a")
    document.saved(content_digest(document.content()))
    document.undo()
    document.edit(at(0, 0), "b")
    assert document.dirty
    assert not document.can_redo


def test_reloading_takes_the_new_text_and_format_and_keeps_the_selection():
    document = buffer()
    document.select(at(1, 0, 1, 2))
    document.reload(read_text(b"zero\r\ntwo\r\n"))
    assert (document.text, document.format.eol, document.dirty) == ("zero\ntwo\n", "\r\n", False)
    assert document.selected_text == "tw"
    document.undo()
    assert (document.text, document.dirty) == ("one\ntwo\n", True)


def test_selecting_outside_the_text_selects_what_there_is():
    document = buffer(b"ab")
    document.select(at(0, 1, 7, 7))
    assert document.selected_text == "b"


def test_the_latest_selection_is_remembered_after_its_document_closed():
    documents = OpenDocuments()
    documents.add(buffer())
    documents.add(buffer(b"x", b"/w/g"), front=False)
    documents.select(b"/w/f.txt", at(0, 0, 0, 3))
    assert documents.active.path == b"/w/f.txt"
    documents.close(b"/w/f.txt")
    assert documents.latest_selection.text == "one"
    assert documents.active.path == b"/w/g"
    assert [document.path for document in documents] == [b"/w/g"]


def test_selecting_in_a_document_that_is_not_open_changes_nothing():
    documents = OpenDocuments()
    documents.select(b"/nowhere", at(0, 0))
    assert documents.latest_selection is None
    assert documents.active is None


@pytest.mark.parametrize("content", [b"no newline", b"newline\n"])
def test_the_final_newline_is_known(content):
    assert buffer(content).has_final_newline == content.endswith(b"\n")
