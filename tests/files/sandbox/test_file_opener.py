"""Opening many files for an agent: each by the rules that hold for one that it names."""

import errno
import os

import pytest
from walls_ground import SECRET, Ground, plant_escapes

from cmdr.model.root_spec import RootSpec


@pytest.fixture(params=[True, False], ids=["kernel", "walk"])
def ground(request, tmp_path):
    made = Ground(tmp_path, kernel=request.param)
    plant_escapes(made)
    yield made
    made.sandbox.close()


@pytest.fixture
def opener(ground):
    with ground.sandbox.resolver().opener() as made:
        yield made


def read(opener, path):
    fd = opener(os.fsencode(path))
    with open(fd, "rb") as file:
        return file.read()


def refused(opener, path):
    with pytest.raises(OSError) as error:
        opener(os.fsencode(path))
    return error.value.errno


def test_files_of_several_folders_are_opened_in_turn(ground, opener):
    (ground.root / "sub" / "more.txt").write_text("more\n")
    for _ in range(2):
        assert read(opener, ground.root / "file.txt") == b"inside\n"
        assert read(opener, ground.root / "sub" / "inner.txt") == b"inner\n"
        assert read(opener, ground.root / "sub" / "more.txt") == b"more\n"


def test_what_lies_outside_is_never_opened(ground, opener):
    assert refused(opener, ground.outside / "secret.txt") == errno.EACCES
    assert refused(opener, ground.root / ".." / "outside" / "secret.txt") == errno.EACCES
    assert refused(opener, ground.own / "token") == errno.EACCES
    with ground.sandbox.resolver((RootSpec(os.fsencode(ground.root / "sub")),)).opener() as narrow:
        assert refused(narrow, ground.root / "file.txt") == errno.EACCES
        assert read(narrow, ground.root / "sub" / "inner.txt") == b"inner\n"


def test_links_at_the_end_are_not_followed_and_folders_that_lead_outside_are_refused(ground, opener):
    (ground.root / "link").symlink_to("file.txt")
    (ground.root / "way").symlink_to(ground.outside)
    assert refused(opener, ground.root / "link") == errno.ELOOP
    assert refused(opener, ground.root / "way" / "secret.txt") == errno.EACCES


def test_a_folder_that_becomes_a_link_leads_nowhere_else(ground, opener):
    assert read(opener, ground.root / "sub" / "inner.txt") == b"inner\n"
    (ground.root / "sub").rename(ground.root / "was")
    (ground.root / "sub").symlink_to(ground.outside / "folder")
    assert refused(opener, ground.root / "sub" / "secret.txt") == errno.ENOENT  # the folder that was checked is asked
    opener.close()
    assert refused(opener, ground.root / "sub" / "secret.txt") == errno.EACCES


def test_private_files_inside_a_root_are_refused_whatever_their_name(ground, opener):
    (ground.root / ".ssh").mkdir(exist_ok=True)
    (ground.root / ".ssh" / "config").write_text(SECRET)
    (ground.root / "id_rsa").write_text(SECRET)
    os.link(ground.own / "token", ground.root / "second name")
    assert refused(opener, ground.root / ".ssh" / "config") == errno.EACCES
    assert refused(opener, ground.root / "id_rsa") == errno.EACCES
    assert refused(opener, ground.root / "second name") == errno.EACCES


def test_what_is_no_file_or_not_there_is_told_as_such(ground, opener):
    os.mkfifo(ground.root / "a pipe")
    assert refused(opener, ground.root / "a pipe") == errno.ELOOP
    assert refused(opener, ground.root / "sub") == errno.ELOOP
    assert refused(opener, ground.root / "nothing") == errno.ENOENT
    assert refused(opener, ground.root / "no" / "folder") == errno.ENOENT
    assert refused(opener, ground.root / "file.txt" / "x") == errno.ENOENT
