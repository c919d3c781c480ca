"""What became of each item: little room, and nothing forgotten."""

from cmdr.engine.journal.records import Backup, ItemState
from cmdr.engine.run.item_results import ItemResult, ItemResults
from cmdr.engine.steps.step import StepResult
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Root, StepName, Totals

HERE, THERE = Place(b"/a", b"x"), Place(b"/b", b"x")
ITEM = PlanItem(StepName.COPY, Kind.FILE, HERE, THERE, totals=Totals(1, 0, 10))
MARK = Fingerprint(2**40, 2**64 - 1, 12, -5, Kind.LINK)
KEPT = Backup(Root(b"/t", 1, 2), Root(b"/i", 1, 3), b"n", b"n.trashinfo")


def test_items_begin_as_planned():
    results = ItemResults([ITEM, ITEM])
    assert list(results) == [ItemResult(0, ITEM, ItemState.PLANNED), ItemResult(1, ITEM, ItemState.PLANNED)]
    assert results.totals == Totals()
    assert not results.has_moved


def test_a_settled_item_tells_everything_again():
    results = ItemResults([ITEM, ITEM])
    elsewhere = THERE.renamed(b"x (1)")
    assert results.settle(1, StepResult(target=elsewhere, landed=MARK, kept=KEPT, warnings=("owner",)))
    assert results[-1] == ItemResult(1, ITEM, ItemState.LANDED, "", elsewhere, MARK, KEPT, ("owner",))
    assert results[:1] == (ItemResult(0, ITEM, ItemState.PLANNED),)
    assert results.totals == ITEM.totals
    assert results.warnings() == ((ITEM, "owner"),)


def test_what_is_learned_later_adds_to_what_was_known():
    results = ItemResults([ITEM])
    assert not results.settle(0, StepResult(ItemState.STAGED, target=THERE, landed=MARK))
    assert results.settle(0, StepResult(ItemState.LANDED, "the source was kept", warnings=("one",)))
    assert not results.settle(0, StepResult(ItemState.SOURCE_REMOVED, warnings=("two",)))
    assert results[0] == ItemResult(0, ITEM, ItemState.SOURCE_REMOVED, "", THERE, MARK, None, ("one", "two"))
    assert results.totals == ITEM.totals


def test_a_time_far_from_ours_is_told_again_to_the_nanosecond():
    results = ItemResults([ITEM])
    for time in (2**63, -(2**63) - 1, 7, 2**70):
        results.settle(0, StepResult(target=THERE, landed=MARK._replace(mtime_ns=time)))
        assert results[0].landed == MARK._replace(mtime_ns=time)


def test_an_item_with_nothing_more_to_say_takes_no_more_room():
    results = ItemResults([ITEM])
    results.settle(0, StepResult(ItemState.FAILED, "the disk is full"))
    assert results.having(ItemState.FAILED)[0].reason == "the disk is full"
    results.settle(0, StepResult(target=THERE))
    assert results._more == {}
    assert list(results.which(ItemState.LANDED, ItemState.SKIPPED)) == [0]
    assert results.having(ItemState.FAILED) == ()


def test_a_time_that_no_number_here_holds_is_kept_all_the_same():
    results = ItemResults([ITEM])
    far = MARK._replace(mtime_ns=2**70, stamp_ns=2**70)
    results.settle(0, StepResult(landed=far))
    assert results[0].landed == far
    results.settle(0, StepResult(landed=MARK._replace(stamp_ns=7)))
    assert results[0].landed == MARK._replace(stamp_ns=7)
