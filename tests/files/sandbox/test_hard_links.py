"""A file with several names is private when one of them is, wherever in the roots that one stands."""

import os

import pytest

from cmdr.files.sandbox import hard_links
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.resolved_path import PrivatePlace
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root" / "deep" / "down").mkdir(parents=True)
    return tmp_path / "root"


@pytest.fixture
def sandbox(root, tmp_path):
    made = Sandbox([RootSpec(os.fsencode(root))], PrivatePlaces(homes=(os.fsencode(tmp_path / "home"),)))
    yield made
    made.close()


def secret(folder, name="id_rsa"):
    (folder / ".ssh").mkdir()
    (folder / ".ssh" / name).write_text("S")
    return folder / ".ssh" / name


def test_a_hard_link_to_a_private_file_inside_a_root_is_refused(root, sandbox):
    os.link(secret(root), root / "hard_key")
    with pytest.raises(PrivatePlace, match="second name of a private file"):
        sandbox.resolver().find(b"hard_key")


def test_the_private_name_may_stand_deep_in_the_root_or_in_another_one(root, sandbox, tmp_path):
    os.link(secret(root / "deep" / "down"), root / "hard_key")
    (tmp_path / "other").mkdir()
    os.link(secret(tmp_path / "other"), root / "other_key")
    sandbox.resolver((RootSpec(os.fsencode(tmp_path / "other")),))
    for name in (b"hard_key", b"other_key"):
        with pytest.raises(PrivatePlace, match="second name"):
            sandbox.resolver().find(name)


def test_a_private_file_by_its_own_name_is_known_under_others(root, sandbox):
    (root / "deep" / "vault.kdbx").write_text("S")
    os.link(root / "deep" / "vault.kdbx", root / "notes")
    with pytest.raises(PrivatePlace, match="second name"):
        sandbox.resolver().find(b"notes")


def test_files_with_several_names_that_are_all_ordinary_are_read(root, sandbox, tmp_path):
    secret(root)
    (root / "a").write_text("a")
    os.link(root / "a", root / "deep" / "b")
    os.link(root / "a", tmp_path / "outside")
    with sandbox.resolver().find(b"deep/b") as found:
        assert found.is_file


def test_a_link_made_after_the_last_look_is_seen(root, sandbox):
    key = secret(root)
    (root / "a").write_text("a")
    os.link(root / "a", root / "b")
    sandbox.resolver().find(b"b").close()
    os.link(key, root / "c")
    with pytest.raises(PrivatePlace, match="second name"):
        sandbox.resolver().find(b"c")


def test_one_look_serves_many_files(root, sandbox, monkeypatch):
    looks = []
    real = hard_links._look_through
    monkeypatch.setattr(hard_links, "_look_through", lambda *what: (looks.append(1), real(*what))[1])
    monkeypatch.setattr(hard_links, "_MARGIN_NS", -(10**12))  # as if these files were old
    for number in range(20):
        (root / str(number)).write_text("x")
        os.link(root / str(number), root / "deep" / str(number))
    for number in range(20):
        sandbox.resolver().find(b"%d" % number).close()
    assert len(looks) == 1


def test_a_look_is_not_believed_for_long(root, sandbox, monkeypatch):
    """A folder that is renamed to a private place changes none of the files in it."""
    (root / "keys").mkdir()
    (root / "keys" / "k").write_text("S")
    os.link(root / "keys" / "k", root / "hard")
    monkeypatch.setattr(hard_links, "_MARGIN_NS", -(10**12))
    sandbox.resolver().find(b"hard").close()
    os.rename(root / "keys", root / ".ssh")
    monkeypatch.setattr(hard_links, "_MAX_AGE_S", -1.0)
    with pytest.raises(PrivatePlace, match="second name"):
        sandbox.resolver().find(b"hard")


def test_what_is_no_file_system_of_files_is_not_looked_through(root, sandbox, monkeypatch):
    monkeypatch.setattr(hard_links, "_NOT_FILES", (os.fsencode(root / "deep"),))
    os.link(secret(root / "deep"), root / "hard_key")
    sandbox.resolver().find(b"hard_key").close()


def test_a_folder_that_cannot_be_read_hides_nothing_else(root, sandbox, monkeypatch):
    os.link(secret(root), root / "hard_key")
    real = os.scandir

    def forbidden(path):
        if path == os.fsencode(root / "deep"):
            raise PermissionError
        return real(path)

    monkeypatch.setattr(os, "scandir", forbidden)
    with pytest.raises(PrivatePlace, match="second name"):
        sandbox.resolver().find(b"hard_key")


def test_a_private_file_of_a_home_is_known_under_another_name(root, sandbox, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".pgpass").write_text("S")
    os.link(tmp_path / "home" / ".pgpass", root / "notes")
    (root / "a").write_text("a")
    os.link(root / "a", root / "b")
    sandbox.resolver().find(b"b").close()
    with pytest.raises(PrivatePlace):
        sandbox.resolver().find(b"notes")
