"""Seventeen properties of files: kept by a copy, or reported; never lost in silence."""

import os
import stat
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import World, devices

from cmdr.engine.plan.transfer_plan import plan_copy, plan_move

ROOT = os.getuid() == 0
ACL = bytes.fromhex("0200000001000600ffffffff02000400e803000004000400ffffffff10000400ffffffff20000400ffffffff")


def _file(world, name, text=b"text"):
    return world.write(world.here + b"/pick/" + name, text)


def make_mtime(world):
    os.utime(_file(world, b"p"), ns=(1_111_111_111_123_456_789, 1_222_222_222_987_654_321))


def make_mode(world):
    os.chmod(_file(world, b"p"), 0o754)


def make_set_id(world):
    os.chmod(_file(world, b"p"), 0o4755)


def make_sticky(world):
    os.mkdir(world.here + b"/pick/p")
    os.chmod(world.here + b"/pick/p", 0o1777)


def make_owner(world):
    os.chown(_file(world, b"p"), 1234, 2345) if ROOT else _file(world, b"p")


def make_xattr(world):
    os.setxattr(_file(world, b"p"), "user.note", b"kept \xff")


def make_acl(world):
    os.setxattr(_file(world, b"p"), "system.posix_acl_access", ACL)


def make_folder_xattr(world):
    os.mkdir(world.here + b"/pick/p")
    os.setxattr(world.here + b"/pick/p", "user.note", b"on a folder")


def make_folder_time(world):
    _file(world, b"p/inside")
    os.utime(world.here + b"/pick/p", ns=(5, 1_000_000_000_000_000_007))


def make_sparse(world):
    with open(_file(world, b"p", b"start"), "r+b") as file:
        file.seek(40 << 20)
        file.write(b"end")
        file.truncate(60 << 20)


def make_hard_links(world):
    os.link(_file(world, b"p"), world.here + b"/pick/q")


def make_symlink(world):
    os.symlink(b"somewhere/\xff", world.here + b"/pick/p")


def make_dangling(world):
    os.symlink(b"/nowhere at all", world.here + b"/pick/p")


def make_loop(world):
    os.symlink(b"p", world.here + b"/pick/p")


def make_empty_folder(world):
    os.mkdir(world.here + b"/pick/p")


def make_names(world):
    for name in (b"\xff\xfe", b"line\nbreak", b"n" * 255, b" ", b"-rf", b"[/]"):
        _file(world, name, name)


def make_special(world):
    os.mkfifo(world.here + b"/pick/p")


MAKERS = [value for name, value in sorted(globals().items()) if name.startswith("make_")]


def look(path):
    """Everything about a tree that a careful person would compare."""
    found = {}
    inodes = {}
    for folder, folders, files in os.walk(path):
        for name in [*folders, *files, b"."]:
            full = os.path.join(folder, name)
            info = os.lstat(full)
            facts = [stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid, info.st_mtime_ns]
            if stat.S_ISREG(info.st_mode):
                with open(full, "rb") as file:
                    facts.append(file.read())
                facts.append(inodes.setdefault(info.st_ino, os.path.relpath(full, path)))
                facts.append(info.st_blocks * 512 < info.st_size)
            if stat.S_ISLNK(info.st_mode):
                facts.append(os.readlink(full))
            else:
                facts += [(key, os.getxattr(full, key)) for key in sorted(os.listxattr(full))]
            found[os.path.relpath(full, path)] = facts
    return found


@pytest.mark.parametrize("verb", [plan_copy, plan_move])
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__.removeprefix("make_"))
def test_a_property_is_kept_or_reported(maker, verb):
    assert len(MAKERS) == 17
    with devices() as found:
        world = World(found.one, found.two or found.one)
        world.reset()
        os.mkdir(world.here + b"/pick")
        try:
            maker(world)
        except OSError as problem:
            pytest.skip(f"this file system cannot hold it: {problem}")
        before = look(world.here + b"/pick")
        outcome = world.run(verb([world.here + b"/pick"], world.there))
        after = look(world.there + b"/pick")
        said = [item.item.place.rel for item in outcome.skipped] + [item.place.rel for item, _ in outcome.warnings]
        for name, facts in before.items():
            if after.get(name) != facts:
                assert any(os.path.normpath(b"pick/" + name) == place for place in said), (name, facts, after.get(name))
        if maker is not make_special:
            assert after == before
            assert not outcome.warnings


@pytest.mark.skipif(not ROOT, reason="only root has files of other owners to copy")
def test_a_set_user_id_program_never_becomes_another_owners():
    from cmdr.engine.fs.syscalls import Syscalls

    class NoOwners(Syscalls):
        def set_owner(self, fd, uid, gid):
            raise PermissionError(1, "no")

    with devices() as found:
        world = World(found.one, found.one)
        world.reset()
        path = world.write(world.here + b"/tool", b"#!")
        os.chown(path, 1234, 1234)
        os.chmod(path, 0o6755)
        outcome = world.run(plan_copy([path], world.there), NoOwners())
        assert stat.S_IMODE(os.stat(world.there + b"/tool").st_mode) == 0o755
        assert {text for _, text in outcome.warnings} == {"owner", "set-user-ID or set-group-ID bit"}
