"""Files on their way from the browser: whole or refused, in a place of cmdr's own, and gone when nobody needs them."""

import os

import pytest

from cmdr.core.errors import CommandError
from cmdr.core.transfers import uploads as module
from cmdr.core.transfers.uploads import Uploads


@pytest.fixture
def uploads(tmp_path):
    return Uploads(str(tmp_path / "uploads"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def test_pieces_become_a_file_under_its_name(uploads):
    id = uploads.begin()
    uploads.add(id, ["a.bin"], 0, b"one")
    uploads.add(id, ["a.bin"], 3, b"two")
    uploads.add(id, ["sub", "b"], 0, b"")
    uploads.add_folder(id, ["sub", "empty"])
    a, sub = uploads.whole(id)
    assert read(a) == b"onetwo"
    assert sorted(os.listdir(sub)) == [b"b", b"empty"]


def test_nobody_else_can_look_at_it_while_it_waits(uploads, tmp_path):
    id = uploads.begin()
    assert os.stat(tmp_path / "uploads").st_mode & 0o777 == 0o700
    assert os.stat(tmp_path / "uploads" / id).st_mode & 0o777 == 0o700


def test_a_first_piece_that_comes_again_begins_anew_and_a_missing_one_is_noticed(uploads):
    id = uploads.begin()
    uploads.add(id, ["a"], 0, b"longer than")
    uploads.add(id, ["a"], 0, b"before")
    with pytest.raises(CommandError, match="missing"):
        uploads.add(id, ["a"], 100, b"x")
    (path,) = uploads.whole(id)
    assert read(path) == b"before"


@pytest.mark.parametrize(
    "way",
    [[], [""], ["."], [".."], ["..", "x"], ["a", "..", "b"], ["a/b"], ["/etc/passwd"], ["a\0b"], ["n" * 256],
     ["\ud800"], ["d"] * 101],
)  # fmt: skip
def test_what_is_no_name_goes_nowhere(uploads, tmp_path, way):
    id = uploads.begin()
    for add in (lambda: uploads.add(id, way, 0, b"x"), lambda: uploads.add_folder(id, way)):
        with pytest.raises(CommandError, match="no name"):
            add()
    assert os.listdir(tmp_path / "uploads") == [id]
    assert uploads.whole(id) == []


def test_a_file_where_a_folder_should_be_is_told_in_a_sentence(uploads):
    id = uploads.begin()
    uploads.add(id, ["a"], 0, b"x")
    with pytest.raises(CommandError, match=r"cannot be kept: .*\."):
        uploads.add(id, ["a", "b"], 0, b"x")


def test_what_was_dropped_is_gone_and_over(uploads, tmp_path):
    id = uploads.begin()
    uploads.add(id, ["a"], 0, b"x")
    uploads.drop(id)
    uploads.drop(id)
    assert os.listdir(tmp_path / "uploads") == []
    for refused in (lambda: uploads.add(id, ["a"], 0, b"x"), lambda: uploads.whole(id), lambda: uploads.whole("..")):
        with pytest.raises(CommandError, match="over"):
            refused()


def test_uploads_that_do_not_go_on_are_given_up_but_not_those_that_wait_to_be_copied(uploads, tmp_path, monkeypatch):
    stuck, whole = uploads.begin(), uploads.begin()
    uploads.add(whole, ["a"], 0, b"x")
    uploads.whole(whole)
    monkeypatch.setattr(module, "IDLE_TIMEOUT_S", -1.0)
    fresh = uploads.begin()
    assert sorted(os.listdir(tmp_path / "uploads")) == sorted([whole, fresh])
    assert stuck not in (whole, fresh)


def test_what_an_earlier_run_left_behind_is_swept_up_after_days(tmp_path):
    earlier = Uploads(str(tmp_path / "uploads"))
    old, recent = earlier.begin(), earlier.begin()
    os.utime(tmp_path / "uploads" / old, (0, 0))
    fresh = Uploads(str(tmp_path / "uploads")).begin()
    assert sorted(os.listdir(tmp_path / "uploads")) == sorted([recent, fresh])


def test_an_upload_whose_folder_is_gone_is_told_in_words(uploads, tmp_path):
    id = uploads.begin()
    os.rmdir(tmp_path / "uploads" / id)
    with pytest.raises(CommandError, match="cannot be kept: No such file"):
        uploads.whole(id)
