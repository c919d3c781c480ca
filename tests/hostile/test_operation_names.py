"""Thousands of hostile names through copy, rename, trash, restore and undo, byte for byte."""

import os
import random
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import World, mounted, tree

from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_trash
from cmdr.engine.run.undo import plan_undo

LIMITS = Limits(top=100_000, leaves=1_000_000)


def hostile_names(count: int, seed: int = 1) -> list[bytes]:
    rng = random.Random(seed)
    nasty = [b"[@click=app.quit]x[", b"-rf", b"--", b"~", b"*", b"$(id)", b"`id`", b"a\nb", b"\x1b[2J", b"%00", b"con"]
    nasty += [
        "\u202egpj.exe".encode(),
        "é".encode(),
        "e\u0301".encode(),
        b"x" * 255,
        ("ü" * 127).encode(),
        b"\xff" * 246,
    ]
    names = set(nasty)
    while len(names) < count:
        size = rng.choice((1, 2, 5, 20, 100, 240, 246, 250, 255))
        raw = rng.choice((rng.randbytes(size), rng.randbytes(size).hex().encode()[:size]))
        raw = raw.replace(b"/", b"_").replace(b"\0", b"0")
        if raw not in (b".", b".."):
            names.add(raw)
    return sorted(names)


def through_everything(world: World, names: list[bytes]) -> None:
    """Every name through every kind of change; raises where one byte differs."""
    world.reset()
    for number, name in enumerate(names):
        world.write(world.here + b"/pick/" + name, b"%d" % number)
    journal = world.journal()
    try:
        first = tree(world.here + b"/pick")
        copied = world.run(plan_copy([world.here + b"/pick"], world.there, Choices(limits=LIMITS)), recorder=journal)
        assert copied.is_clean
        base = world.there + b"/pick/"
        there = {path.replace(world.here, world.there): text for path, text in first.items()}
        assert tree(world.there + b"/pick") == there

        ring = [(base + name, names[(at + 1) % len(names)]) for at, name in enumerate(names)]
        renamed = world.run(plan_rename(ring), recorder=journal)
        assert renamed.is_clean
        shifted = {base + names[(at + 1) % len(names)]: b"%d" % at for at in range(len(names))}
        assert tree(world.there + b"/pick") == shifted
        back = world.run(plan_undo(journal.operation(renamed.operation)), recorder=journal)
        assert back.is_clean
        assert tree(world.there + b"/pick") == there

        plan = plan_trash([base + name for name in names], Choices(trash_home=world.home, limits=LIMITS))
        trashed = world.run(plan, recorder=journal)
        assert trashed.is_clean
        assert tree(world.there + b"/pick") == {}
        kept = [item.kept.place.path for item in trashed.items if item.kept is not None]
        half = len(kept) // 2
        assert world.run(plan_restore(kept[:half], limits=LIMITS), recorder=journal).is_clean
        undone = world.run(plan_undo(journal.operation(trashed.operation)), recorder=journal)
        assert len(undone.done) == len(kept) - half
        assert tree(world.there + b"/pick") == there

        assert world.run(plan_undo(journal.operation(copied.operation)), recorder=journal).is_clean
        assert os.listdir(world.there) == []
        assert tree(world.here + b"/pick") == first
        assert world.leftovers() == []
    finally:
        journal.close()


def test_hostile_names_come_through_every_change_byte_for_byte(tmp_path):
    with mounted("256m", 1) as found:
        top = found[0] if found else os.fsencode(tmp_path)
        through_everything(World(top, top), hostile_names(2000))


@pytest.mark.parametrize("size", [245, 246, 250, 255])
def test_a_name_too_long_for_the_trash_is_shortened_there_and_restored_whole(tmp_path, size):
    world = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    through_everything(world, [b"n" * size, "ü".encode() * (size // 2), b"\xfe" * size])
