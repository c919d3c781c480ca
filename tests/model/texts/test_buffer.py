"""Buffers know their selection and when they differ from their file."""

from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.texts.buffer import Buffer, OpenDocuments
from cmdr.model.texts.text_selection import Position, TextSelection


def buffer(text="one\ntwo\n", path=b"/w/f.txt"):
    return Buffer(path, text)


def at(line, start, end_line=None, end=None):
    first = Position(line, start)
    return TextSelection(first, first if end is None else Position(line if end_line is None else end_line, end))


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_document_is_dirty_exactly_while_its_text_is_not_the_saved_one(old, new):
    document = buffer(old)
    document.replace_text(new)
    assert document.text == new
    assert document.dirty == (old != new)
    document.replace_text(old)
    assert not document.dirty


def test_another_text_puts_the_cursor_behind_what_changed():
    document = buffer()
    document.replace_text("one\n2😀\n")
    assert (document.text, document.dirty) == ("one\n2😀\n", True)
    assert document.selection == at(1, 3)
    assert document.line_count == 3


def test_what_was_typed_while_the_text_was_written_stays_unsaved():
    document = buffer()
    document.replace_text("one\ntwo\nthree\n")
    written = document.text
    document.replace_text("one\ntwo\nthree\nfour\n")
    document.saved(written)
    assert document.dirty
    document.saved(document.text)
    assert not document.dirty


def test_selecting_outside_the_text_selects_what_there_is():
    document = buffer("ab")
    document.select(at(0, 1, 7, 7))
    assert document.selected_text == "b"


def test_the_latest_selection_is_remembered_after_its_document_closed():
    documents = OpenDocuments()
    documents.add(buffer())
    documents.add(buffer("x", b"/w/g"), front=False)
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
