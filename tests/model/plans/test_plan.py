"""Plans as data: totals, risk, digest, and the way to bytes and back."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.plans.attributes import Traits
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import (
    GIB,
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
from cmdr.model.plans.plan_facts import PlanDraft, PlanFacts

MARK = Fingerprint(1, 2, 10, 4, Kind.FILE)
A, B = Place(b"/s", b"x/a"), Place(b"/t", b"a")
ROOTS = (Root(b"/s", 1, 1), Root(b"/t", 1, 2))
COPY = PlanItem(StepName.COPY, Kind.FILE, A, B, MARK, totals=Totals(1, 0, 10))


def plan(*items, verb=Verb.COPY, **more):
    return Plan(verb, items, ROOTS, **more)


names = st.binary(min_size=1, max_size=20).filter(lambda name: b"/" not in name and b"\0" not in name)
marks = st.builds(
    Fingerprint,
    st.integers(0, 2**64),
    st.integers(0, 2**64),
    st.integers(0, 2**63),
    st.integers(),
    st.sampled_from(Kind),
)
traits = st.builds(
    Traits,
    st.integers(0, 0o7777),
    st.integers(0, 2**32),
    st.integers(0, 2**32),
    st.integers(),
    st.integers(),
    st.lists(st.tuples(st.text(), st.binary()), max_size=2).map(tuple),
)
places = st.builds(Place, st.sampled_from([b"/s", b"/t"]), names)
items = st.builds(
    PlanItem,
    st.sampled_from(StepName),
    st.sampled_from(Kind),
    st.none() | places,
    places,
    st.none() | marks,
    st.none() | marks,
    st.sampled_from(Decision),
    st.text(),
    st.builds(Totals, st.integers(0), st.integers(0), st.integers(0)),
    st.booleans(),
    st.none() | places,
    st.none() | places,
    st.none(),
    st.text(),
    st.none() | st.integers(0, 0o7777),
    st.text(),
    st.none() | traits,
    st.none() | marks,
)


@settings(deadline=None)
@given(st.lists(items, max_size=4), st.sampled_from(ConflictPolicy), st.none() | names)
def test_a_plan_comes_back_from_its_canonical_form_as_it_was(chosen, policy, destination):
    made = Plan(Verb.MOVE, tuple(chosen), ROOTS, policy, destination, 5, 6, (b"/\xff",), 7)
    again = Plan.decode(made.encoded)
    assert again == made
    assert again.digest == made.digest
    for line in made.parts():
        # Spelled out by hand, and still the one form that an encoder gives.
        assert line.strip(b"\n") == json.dumps(json.loads(line), separators=(",", ":")).encode()


@settings(deadline=None)
@given(st.lists(items, max_size=4))
def test_packed_items_have_the_same_canonical_form(chosen):
    packed = PackedItems(chosen)
    while packed._tail:
        packed._pack()
    assert list(packed) == chosen
    assert Plan(Verb.MOVE, packed, ROOTS).encoded == Plan(Verb.MOVE, tuple(chosen), ROOTS).encoded


@settings(deadline=None)
@given(st.lists(items, max_size=30))
def test_what_is_gathered_while_a_plan_is_made_is_what_a_later_look_finds(chosen):
    draft = PlanDraft()
    for item in chosen:
        draft.append(item)
    assert draft.facts == PlanFacts.of(chosen)
    weighed = Plan(Verb.MOVE, draft.done(), ROOTS).weigh(draft.facts)
    assert weighed.totals == Plan(Verb.MOVE, tuple(chosen), ROOTS).weigh().totals


@pytest.mark.parametrize(
    "change",
    [
        {"target": Place(b"/t", b"b")},
        {"fingerprint": MARK._replace(size=11)},
        {"decision": Decision.REPLACE},
        {"data": b"x"},
        {"remove_source": True},
        {"mode": 0o755},
    ],
)
def test_any_difference_gives_another_digest(change):
    assert plan(COPY).digest != plan(replace(COPY, **change)).digest


def test_contents_count_in_the_digest_but_do_not_travel():
    made = plan(replace(COPY, data=b"secret"))
    assert b"secret" not in made.encoded
    assert Plan.decode(made.encoded).digest == made.digest


def test_totals_leave_out_what_is_left_alone():
    skipped = replace(COPY, decision=Decision.SKIP)
    nothing = replace(COPY, step=StepName.NOTHING)
    made = plan(COPY, skipped, nothing, PlanItem(StepName.MAKE, Kind.FOLDER, None, B, totals=Totals(0, 1, 0)))
    assert made.totals == Totals(1, 1, 10)
    assert made.biggest[0] == COPY
    assert made.questions == ()


def test_an_item_is_found_under_its_source_else_its_target():
    assert COPY.place == A
    assert replace(COPY, source=None).place == B
    with pytest.raises(ValueError, match="source or a target"):
        _ = replace(COPY, source=None, target=None).place


def test_places_know_their_parts():
    assert (A.path, A.name, A.folder) == (b"/s/x/a", b"a", b"x")
    assert Place(b"/", b"a").path == b"/a"
    assert A.renamed(b"b") == Place(b"/s", b"x/b")
    assert B.renamed(b"c") == Place(b"/t", b"c")


def test_fingerprints_match_folders_by_identity_and_files_by_version():
    folder = MARK._replace(kind=Kind.FOLDER)
    assert folder.matches(folder._replace(mtime_ns=9))
    assert not MARK.matches(MARK._replace(mtime_ns=9))
    assert not MARK.matches(MARK._replace(ino=9))
    assert not MARK.matches(None)
    assert MARK.is_same_file(MARK._replace(mtime_ns=9))
    assert not MARK.is_same_file(None)


def test_an_ordinary_copy_is_no_risk():
    assert not plan(COPY).risk.is_high
    over = replace(COPY, decision=Decision.REPLACE, existing=MARK)
    assert plan(over).overwrites == (over,)
    assert not plan(over).risk.is_high


def test_deleting_for_good_is_a_risk():
    gone = PlanItem(StepName.REMOVE, Kind.FILE, A, fingerprint=MARK)
    assert plan(gone, verb=Verb.DELETE).risk.reasons == ("deletes for good",)
    assert not plan(replace(gone, target=B, existing=MARK), verb=Verb.UNDO).risk.is_high


def test_many_or_large_or_protected_or_half_a_folder_is_a_risk():
    trash = PlanItem(StepName.TRASH, Kind.FOLDER, A, fingerprint=MARK, totals=Totals(101, 1, 5))
    assert plan(trash, verb=Verb.TRASH).risk.reasons == ("101 files deleted or overwritten",)
    large = replace(COPY, decision=Decision.REPLACE, existing=MARK._replace(size=2 * GIB))
    assert plan(large).risk.reasons == ("2.0 GiB deleted or overwritten",)
    assert plan(replace(COPY, protected="runs")).risk.reasons == ("touches protected places",)
    assert plan(COPY, emptied=(b"/s",)).risk.reasons == ("takes more than half of a folder",)


def test_a_part_of_a_plan_keeps_its_order():
    other = replace(COPY, target=Place(b"/t", b"z"))
    assert plan(COPY, other, COPY).only([2, 1]).items == (other, COPY)
