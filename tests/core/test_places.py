"""cmdr's own directories and files belong to the user alone, or they are not used."""

import os
import stat

import pytest

from cmdr.core import places


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(places.sys, "platform", "linux")
    return tmp_path


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_the_runtime_directory_is_the_login_sessions_own(tmp_path, monkeypatch):
    base = tmp_path / "run"
    base.mkdir(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(base))
    assert places.runtime() == str(base / "cmdr")
    assert mode(base / "cmdr") == 0o700


def test_without_a_runtime_directory_one_is_kept_under_the_state(home, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid())
    monkeypatch.setattr(places, "_trusted_base", lambda path: False)
    assert places.runtime() == str(home / ".local/state/cmdr/run")
    assert mode(home / ".local/state/cmdr/run") == 0o700


def test_a_stripped_environment_still_finds_the_login_sessions_directory(tmp_path, monkeypatch):
    base = tmp_path / "systemd"
    base.mkdir(0o700)
    asked = []

    def trusted(path):
        asked.append(path)
        return False

    monkeypatch.setattr(places, "_trusted_base", trusted)
    places.runtime()
    assert asked == [f"/run/user/{os.geteuid()}"]


@pytest.mark.parametrize("spoil", ["writable", "missing", "relative"])
def test_a_runtime_base_that_others_can_change_is_passed_over(home, tmp_path, monkeypatch, spoil):
    base = tmp_path / "run"
    if spoil != "missing":
        base.mkdir()
        base.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "run" if spoil == "relative" else str(base))
    monkeypatch.chdir(tmp_path)
    assert not places.runtime().startswith(str(base))


def test_state_and_config_follow_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "a/b"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    assert places.state() == str(tmp_path / "a/b/cmdr")
    assert places.config() == str(tmp_path / "c/cmdr")
    assert mode(tmp_path / "a") == mode(tmp_path / "a/b") == mode(tmp_path / "a/b/cmdr") == 0o700


def test_a_relative_setting_counts_as_none(home, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "elsewhere")
    assert places.state() == str(home / ".local/state/cmdr")


def test_macos_uses_its_own_place(home, monkeypatch):
    monkeypatch.setattr(places.sys, "platform", "darwin")
    assert places.state() == str(home / "Library/Application Support/cmdr")
    assert places.runtime() == str(home / "Library/Application Support/cmdr/run")


def test_an_existing_private_directory_is_used_again(tmp_path):
    path = str(tmp_path / "mine")
    assert places.own(path) == places.own(path)


@pytest.mark.parametrize("bits", [0o770, 0o707, 0o720, 0o702, 0o777])
def test_a_directory_that_others_can_write_is_refused(tmp_path, bits):
    path = tmp_path / "open"
    path.mkdir()
    path.chmod(bits)
    with pytest.raises(places.UnsafePlace, match="chmod 700"):
        places.own(str(path))


def test_a_symbolic_link_is_refused_even_to_a_private_directory(tmp_path):
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(places.UnsafePlace, match="symbolic link"):
        places.own(str(tmp_path / "link"))


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(places.UnsafePlace, match="not a directory"):
        places.own(str(tmp_path / "file"))


def test_someone_elses_directory_is_refused(tmp_path, monkeypatch):
    (tmp_path / "theirs").mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(places.UnsafePlace, match="not to you"):
        places.own(str(tmp_path / "theirs"))


def test_a_written_file_is_private_whatever_the_umask(tmp_path):
    path = str(tmp_path / "secret")
    old = os.umask(0)
    try:
        places.write(path, b"one")
    finally:
        os.umask(old)
    assert places.read(path) == b"one"
    assert mode(path) == 0o600


def test_writing_replaces_a_link_and_never_follows_it(tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    path = tmp_path / "secret"
    path.symlink_to(victim)
    places.write(str(path), b"new")
    assert victim.read_bytes() == b"precious"
    assert not path.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    path = str(tmp_path / "secret")
    places.write(path, b"old")

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        places.write(path, b"new")
    assert places.read(path) == b"old"
    assert os.listdir(tmp_path) == ["secret"]


def test_a_missing_file_reads_as_none(tmp_path):
    assert places.read(str(tmp_path / "none")) is None


def test_reading_stops_at_the_limit(tmp_path):
    places.write(str(tmp_path / "long"), b"x" * 100)
    assert places.read(str(tmp_path / "long"), 10) == b"x" * 10


@pytest.mark.parametrize("kind", ["link", "fifo", "writable", "directory"])
def test_what_is_not_a_private_file_is_refused_without_hanging(tmp_path, kind):
    path = tmp_path / "odd"
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind == "directory":
        path.mkdir()
    else:
        path.write_text("x")
        path.chmod(0o666)
    with pytest.raises(places.UnsafePlace):
        places.read(str(path))


def test_someone_elses_file_is_refused(tmp_path, monkeypatch):
    path = str(tmp_path / "secret")
    places.write(path, b"x")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(places.UnsafePlace):
        places.read(path)
