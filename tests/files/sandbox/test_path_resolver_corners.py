"""The path sandbox where things are odd: other systems, a kernel that gives up, files that change or cannot be read."""

import errno
import fcntl
import os

import pytest
from walls_ground import Ground

from cmdr.files.errors import DiskError, NotAFolder, PathNotFound
from cmdr.files.sandbox import hard_links, open_beneath
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.resolved_path import OutsideRoots, PrivatePlace, ResolvedName
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def ground(tmp_path):
    made = Ground(tmp_path)
    yield made
    made.sandbox.close()


@pytest.fixture
def root(ground):
    handle = os.open(ground.root, os.O_RDONLY | os.O_DIRECTORY)
    yield handle
    os.close(handle)


@pytest.fixture
def elsewhere(monkeypatch):
    """A system like macOS: no openat2, no /proc, no handles that read nothing."""
    monkeypatch.setattr(open_beneath, "_IS_LINUX", False)
    monkeypatch.setattr(open_beneath, "_kernel_can", None)
    monkeypatch.setattr(open_beneath, "_PATH", os.O_RDONLY | os.O_NONBLOCK)
    monkeypatch.delattr(os, "O_PATH")

    def get_path(handle, command, room):
        assert command == 50
        return os.fsencode(os.readlink(f"/proc/self/fd/{handle}")).ljust(len(room), b"\0")

    monkeypatch.setattr(fcntl, "fcntl", get_path)


@pytest.mark.parametrize("kernel", [True, False])
def test_a_zero_byte_is_no_path_by_either_way(root, kernel):
    with pytest.raises(OSError, match="Invalid argument") as refused:
        open_beneath.open_beneath(root, b"file.txt\0/etc", kernel=kernel)
    assert refused.value.errno == errno.EINVAL


def test_a_kernel_that_forbids_the_call_is_known_and_the_way_is_walked_by_hand(root, monkeypatch):
    def forbidden(*_, **__):
        raise OSError(errno.EPERM, "forbidden")

    monkeypatch.setattr(open_beneath, "_kernel_can", None)
    monkeypatch.setattr(open_beneath, "_ask_kernel", forbidden)
    assert not open_beneath.kernel_can()
    handle = open_beneath.open_beneath(root, b"sub/../file.txt")
    assert open_beneath.real_path(handle).endswith(b"/root/file.txt")
    os.close(handle)


def test_a_kernel_that_gives_up_again_and_again_means_outside(ground, monkeypatch):
    class Busy:
        asked = 0

        def syscall(self, *_):
            self.asked += 1
            return -1

    assert open_beneath.kernel_can()  # asked before it gets busy, whichever test comes first
    busy = Busy()
    monkeypatch.setattr(open_beneath, "_LIBC", busy)
    monkeypatch.setattr(open_beneath.ctypes, "get_errno", lambda: errno.EAGAIN)
    with pytest.raises(OutsideRoots):
        ground.sandbox.resolver().find(b"file.txt")
    assert busy.asked == 64


@pytest.mark.usefixtures("elsewhere")
def test_without_the_kernels_help_files_are_found_and_read(ground):
    assert not open_beneath.kernel_can()
    (ground.root / "alias").symlink_to("sub/inner.txt")
    with ground.sandbox.resolver().find(b"alias") as found:
        assert found.real == os.fsencode(ground.root / "sub" / "inner.txt")
        with open(found.open(), "rb") as file:
            assert file.read() == b"inner\n"


@pytest.mark.usefixtures("elsewhere")
def test_without_handles_that_read_nothing_a_pipe_is_refused_before_it_is_opened(ground, root):
    os.mkfifo(ground.root / "pipe")
    with pytest.raises(PermissionError):
        open_beneath.open_beneath(root, b"pipe")


def test_a_file_that_may_not_be_read_is_told_and_not_only_raised(ground, monkeypatch):
    def refused(handle, flags):
        raise PermissionError(errno.EACCES, "Permission denied")

    with ground.sandbox.resolver().find(b"file.txt") as found:
        monkeypatch.setattr("cmdr.files.sandbox.resolved_path.reopen", refused)
        with pytest.raises(DiskError, match=r"file\.txt"):
            found.open()


def test_a_name_too_long_for_the_disk_is_told(ground):
    folder = ground.sandbox.resolver().folder(b"sub")
    held = ResolvedName(folder, b"x" * 300)
    with pytest.raises(DiskError, match="too long"):
        held.seen()
    held.close()


def test_a_file_is_not_a_folder_and_its_handle_is_let_go(ground, nothing_left_open):
    with nothing_left_open(), pytest.raises(NotAFolder):
        ground.sandbox.resolver().folder(b"file.txt")


def test_a_link_that_leads_to_nothing_is_no_place_to_write(ground):
    (ground.root / "dangling").symlink_to("nowhere")
    with pytest.raises(PathNotFound):
        ground.sandbox.resolver().write_target(b"dangling")


def test_a_link_whose_end_turns_into_a_link_again_is_no_place_to_write(ground, monkeypatch):
    (ground.root / "alias").symlink_to("file.txt")
    reach = ground.sandbox.resolver()
    seen = ResolvedName.seen

    def turned(held):
        if held.name == b"file.txt":
            return os.lstat(ground.root / "alias")
        return seen(held)

    monkeypatch.setattr(ResolvedName, "seen", turned)
    with pytest.raises((PathNotFound, PrivatePlace)):
        reach.write_target(b"alias")


def test_when_too_many_private_files_would_have_to_be_compared_a_second_name_counts_as_private(ground, monkeypatch):
    (ground.home / ".ssh").mkdir()
    for number in range(5):
        (ground.home / ".ssh" / str(number)).touch()
    os.link(ground.root / "file.txt", ground.root / "twin.txt")
    reach = ground.sandbox.resolver()
    reach.find(b"twin.txt").close()
    monkeypatch.setattr(hard_links, "MAX_ENTRIES", 3)
    with pytest.raises(PrivatePlace, match="second name"):
        reach.find(b"twin.txt")


def test_a_place_that_changes_while_it_is_looked_at_is_not_listed(tmp_path, monkeypatch):
    (tmp_path / ".ssh").mkdir()
    private = PrivatePlaces(homes=(os.fsencode(tmp_path),))
    assert private.below(os.fsencode(tmp_path)) == [os.fsencode(tmp_path / ".ssh")]
    real = os.path.realpath

    def gone(path, **options):
        if os.fsencode(path).endswith(b".ssh"):
            raise OSError(errno.ENOENT, "gone")
        return real(path, **options)

    monkeypatch.setattr(os.path, "realpath", gone)
    assert private.below(os.fsencode(tmp_path)) == []


def test_what_is_no_path_at_all_is_refused_before_any_look_at_the_disk(ground):
    for path in (b"x" * 5000, b"file\0.txt"):
        with pytest.raises(DiskError, match="not a path"):
            ground.sandbox.resolver().find(path)


def test_the_home_folder_can_be_written_with_a_tilde(ground, monkeypatch):
    monkeypatch.setenv("HOME", str(ground.root))
    with ground.sandbox.resolver().find(b"~/file.txt") as found:
        assert found.real == os.fsencode(ground.root / "file.txt")
    monkeypatch.setenv("HOME", str(ground.outside))
    with pytest.raises(OutsideRoots):
        ground.sandbox.resolver().find(b"~")


def test_what_was_found_is_read_by_its_handle_and_known_by_its_identity(ground):
    with ground.sandbox.resolver().find(b"file.txt") as found:
        seen = os.stat(ground.root / "file.txt")
        assert found.identity == (seen.st_dev, seen.st_ino)
        (ground.root / "file.txt").rename(ground.root / "moved.txt")
        fd = found.open()
        try:
            assert os.read(fd, 100) == b"inside\n"
        finally:
            os.close(fd)


def test_a_command_sees_the_roots_by_their_real_paths(ground, tmp_path):
    (tmp_path / "door").symlink_to(ground.root)
    sandbox = Sandbox([RootSpec(os.fsencode(tmp_path / "door"), read_only=True)])
    try:
        assert sandbox.resolver().trees == (RootSpec(os.path.realpath(os.fsencode(ground.root)), read_only=True),)
    finally:
        sandbox.close()


def test_a_folder_that_may_not_be_listed_holds_no_private_places_that_we_know_of(tmp_path):
    private = PrivatePlaces(homes=(os.fsencode(tmp_path),))
    (tmp_path / "file").write_text("no folder")
    assert private.below(os.fsencode(tmp_path / "file")) == []
