"""Buffers follow the disk, and never lose what a person typed."""

import asyncio
import os

import pytest

from cmdr.editor.loading import FileMissingError
from cmdr.editor.opening import new_buffer, open_buffer, refresh, text_on_disk
from cmdr.model.text_selection import TextSelection


@pytest.fixture
def path(tmp_path):
    name = os.fsencode(tmp_path / "tool")
    write(name, b"#!/usr/bin/env python3\r\nx = 1")
    return name


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


def test_a_file_opens_with_its_language_and_gives_the_same_bytes_back(path):
    document = asyncio.run(open_buffer(path))
    assert (document.language_id, document.line_count, document.dirty) == ("python", 2, False)
    assert document.content() == b"#!/usr/bin/env python3\r\nx = 1"


def test_a_changed_file_is_taken_again(path):
    document = asyncio.run(open_buffer(path))
    assert asyncio.run(refresh(document)) == "same"
    write(path, b"y = 2\n")
    assert asyncio.run(refresh(document)) == "reloaded"
    assert (document.text, document.dirty, document.format.eol) == ("y = 2\n", False, "\n")


def test_unsaved_changes_stay_when_the_file_changes(path):
    document = asyncio.run(open_buffer(path))
    document.edit(TextSelection(), "typed ")
    write(path, b"y = 2\n")
    assert asyncio.run(refresh(document)) == "both changed"
    assert document.text.startswith("typed ")


def test_a_file_that_vanished_is_told_and_its_text_kept(path):
    document = asyncio.run(open_buffer(path))
    os.unlink(path)
    assert asyncio.run(refresh(document)) == "gone"
    assert document.text
    assert asyncio.run(text_on_disk(path)) is None
    with pytest.raises(FileMissingError):
        asyncio.run(open_buffer(path))


def test_a_new_document_is_the_same_until_someone_makes_its_file(path):
    os.unlink(path)
    document = new_buffer(path)
    assert asyncio.run(refresh(document)) == "same"
    write(path, b"made elsewhere\n")
    assert asyncio.run(refresh(document)) == "reloaded"
