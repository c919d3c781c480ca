"""Operations on very many files are read in pages and planned in blocks: what comes out is the same."""

import pytest
from ops_ground import NAMED, Before, World, devices, tree

from cmdr.engine.journal import reading
from cmdr.engine.run.control import Cancelled, Unattended
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState
from cmdr.model.plans import packed_items
from cmdr.model.plans.packed_items import PackedItems

REVERSIBLE = ["copy", "overwrite", "move", "move and overwrite", "rename ring", "trash", "restore"]


@pytest.fixture
def world():
    with devices() as found:
        _, one, two = found.places()[-1]
        made = World(one, two)
        made.reset()
        yield made


@pytest.fixture
def crowd(monkeypatch):
    """From here on three items are already very many."""

    def arrives():
        monkeypatch.setattr(reading, "PAGE", 2)
        monkeypatch.setattr(packed_items, "BLOCK", 2)
        monkeypatch.setattr(packed_items, "PLAIN", 0)

    return arrives


class StopsAt(Unattended):
    """The program ends when so many items are done."""

    def __init__(self, count):
        self.count = count

    def progress(self, progress):
        if progress.items_done >= self.count:
            raise Cancelled


@pytest.mark.parametrize("name", REVERSIBLE)
def test_the_way_back_from_many_files_is_the_same_as_from_few(world, journal, crowd, name):
    scenario = NAMED[name]
    plan = scenario.plan(world, scenario.prepare(world))
    before = Before.of(world)
    number = world.run(plan, recorder=journal).operation
    few = plan_undo(journal.operation(number))
    crowd()
    many = plan_undo(journal.operation(number))
    if name != "copy":  # which goes to the trash as one folder
        assert isinstance(many.items, PackedItems)
    assert (many.digest, many.roots) == (few.digest, few.roots)
    assert world.run(many, recorder=journal).is_clean
    assert (tree(world.here), tree(world.there)) == (before.here, before.there)


@pytest.mark.parametrize("name", ["copy", "move"])
def test_the_rest_of_many_files_is_the_same_as_of_few(world, journal, crowd, name):
    scenario = NAMED[name]
    plan = scenario.plan(world, scenario.prepare(world))
    contents = Before.of(world).contents
    with pytest.raises(Cancelled):
        world.run(plan, recorder=journal, control=StopsAt(4))
    assert world.recover().interrupted == [1]
    assert journal.operation(1).state is OperationState.INTERRUPTED
    few = plan_resume(journal.operation(1))
    crowd()
    many = plan_resume(journal.operation(1))
    assert isinstance(many.items, PackedItems)
    assert many.digest == few.digest
    assert world.run(many, recorder=journal).is_clean
    assert Before.of(world).contents == contents
    assert set(tree(world.there).values()) >= contents - {b"not chosen"}
