"""Very many items in little room: packed or not, a plan is the same plan."""

import tracemalloc
from dataclasses import replace

import pytest

from cmdr.model.plans import packed_items
from cmdr.model.plans.packed_items import BLOCK, PackedItems, packed
from cmdr.model.plans.plan import (
    ConflictPolicy,
    Decision,
    Fingerprint,
    Kind,
    Place,
    Plan,
    PlanItem,
    Root,
    StepName,
    Totals,
    Verb,
)

PLAIN = 3 * BLOCK
"""As few as show everything; by far fewer than it takes outside of tests."""
MANY = PLAIN + 2 * BLOCK + 5


@pytest.fixture(scope="module", autouse=True)
def soon_packed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_items, "PLAIN", PLAIN)
        yield


def item(number):
    """A copy like any other, with something of everything now and then."""
    name = b"folder %d/file \xff %d" % (number % 7, number)
    made = PlanItem(
        StepName.COPY,
        Kind.FILE,
        Place(b"/from", name),
        Place(b"/to", name),
        Fingerprint(3, 2**63 + number, number, -number, Kind.FILE),
        totals=Totals(1, 0, number),
    )
    if number % 1000 == 1:
        made = replace(made, existing=made.fingerprint, decision=Decision.REPLACE, protected="why")
    if number % 1000 == 2:
        made = replace(made, twin=Place(b"/to", b"first"), info=Place(b"/trash", b"note"), data=b"text", mode=0o644)
    if number % 1000 == 3:
        made = replace(made, decision=Decision.ASK, source=Place(b"/from", b"top %d" % number))
    if number % 1000 == 4:
        made = replace(made, step=StepName.NOTHING, reason="no", remove_source=True)
    return made


@pytest.fixture(scope="module")
def plain():
    return tuple(item(number) for number in range(MANY))


@pytest.fixture(scope="module")
def many(plain):
    made = packed(plain)
    assert isinstance(made, PackedItems)
    return made


def test_few_items_stay_as_they_are(plain):
    assert packed(plain[:PLAIN]) == plain[:PLAIN]
    assert isinstance(packed(plain[:PLAIN]), tuple)
    assert packed(()) == ()


def test_many_items_read_like_the_plain_ones(plain, many):
    assert len(many) == MANY
    assert tuple(many) == plain
    assert tuple(reversed(many)) == plain[::-1]
    for at in (0, 1, BLOCK - 1, BLOCK, MANY - 1, -1, -MANY):
        assert many[at] == plain[at]
    assert many[BLOCK - 2 : BLOCK + 2] == plain[BLOCK - 2 : BLOCK + 2]
    assert many[:5] == plain[:5]
    for at in (MANY, -MANY - 1):
        with pytest.raises(IndexError):
            many[at]


def test_items_can_be_read_while_they_are_added(plain):
    adding = PackedItems()
    for number, one in enumerate(plain):
        adding.append(one)
        if number % 1111 == 0:
            assert adding[number] == one
            assert adding[0] == plain[0]
    assert len(adding) == MANY
    assert tuple(adding) == plain
    assert tuple(reversed(adding)) == plain[::-1]


def test_packed_items_are_equal_to_the_same_items_only(plain, many):
    assert many == plain
    assert many == packed(plain)
    assert hash(many) == hash(packed(plain))
    assert many != plain[:-1]
    assert many != (*plain[:-1], plain[0])
    assert many != 3
    assert hash(PackedItems()) == hash(PackedItems())


def test_a_plan_has_the_same_digest_and_facts_either_way(plain, many):
    roots = (Root(b"/from", 1, 2), Root(b"/to", 1, 3), Root(b"/trash", 1, 4))
    one, other = (Plan(Verb.COPY, items, roots, ConflictPolicy.ASK) for items in (plain, many))
    assert one.digest == other.weigh().digest
    assert one == other
    assert (one.totals, one.risk, one.biggest, one.source_folders) == (
        other.totals,
        other.risk,
        other.biggest,
        other.source_folders,
    )
    assert one.overwrites == other.overwrites
    assert one.questions == other.questions
    assert one.protected == other.protected
    assert [big.totals.bytes for big in one.biggest[:3]] == [MANY - 1, MANY - 2, MANY - 3]
    assert Plan.decode(other.encoded).digest == one.digest
    assert other.only([5, MANY - 1]).items == (plain[5], plain[MANY - 1])


def test_ten_thousand_items_take_a_megabyte():
    tracemalloc.start()
    try:
        made = packed(item(number) for number in range(10_000))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(made) == 10_000
    assert taken < 2**20
