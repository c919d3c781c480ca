"""Planning new names: one or many, also when they trade places."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.names import folded
from cmdr.engine.plan.refusals import Clash, NothingToDo, RenamedInside, TargetTaken
from cmdr.engine.plan.sources import Nesting
from cmdr.engine.plan.survey import Check, Limits, Source, Survey, go_on, good_name
from cmdr.engine.plan.targets import Clashes, Targets, is_caseless
from cmdr.engine.steps.registry import step_of
from cmdr.engine.steps.rename import Rename
from cmdr.engine.steps.swap import Swap
from cmdr.files.protected import Privacy, Protection
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Fingerprint, Kind, Plan, PlanItem, Verb
from cmdr.model.plans.plan_exchanges import amount

_DEFAULT_LIMITS = Limits(top=100_000)
_DEFAULT_PROTECTION = Protection()


def plan_rename(
    pairs: Sequence[tuple[bytes, bytes]],
    *,
    expected: Mapping[bytes, Fingerprint] | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    protection: Protection = _DEFAULT_PROTECTION,
    check: Check = go_on,
    privacy: Privacy | None = None,
) -> Plan:
    """Give files new names in their folders: pairs of a path and a new name. Swaps and rings are possible."""
    with ExitStack() as stack:
        survey = Survey(limits, check, stack)
        nesting = Nesting([path for path, _ in pairs])
        for _ in survey.sources([path for path, _ in pairs], expected):
            # Each is looked at, and refused when it is not as it was chosen.
            pass
        moves = {}
        claims: dict[int, Targets] = {}
        clashes = Clashes("Give each a name of its own, as {n} does in a pattern.")
        for path, new in pairs:
            source = survey.source(path)
            target = source.place.renamed(good_name(new))
            if target == source.place:
                continue
            if nesting.is_inside(path):
                raise RenamedInside(path)
            if source.folder not in claims:
                claims[source.folder] = Targets(is_caseless(source.folder), clashes)
            claims[source.folder].claim(target, source.place)
            if (source.folder, source.place.name) in moves:
                clashes.add(Clash(source.place.path, source.place.path, target.path))
            moves[source.folder, source.place.name] = (source, target.name)
        clashes.refuse()
        if not moves:
            raise NothingToDo("These files have these names already. Choose other names.")
        items = [_with_privacy(item, survey, privacy) for item in _ordered(moves, protection)]
        return Plan(Verb.RENAME, tuple(items), tuple(survey.roots.values())).weigh()


def _with_privacy(item: PlanItem, survey: Survey, privacy: Privacy | None) -> PlanItem:
    """A private place is known by its name: under another one nobody would know it."""
    if privacy is None:
        return item
    for place in step_of(item).renamed(item):
        if place is not None:
            source = survey.source(place.path)
            path = privacy.real(source.folder).rstrip(b"/") + b"/" + place.name
            why = privacy.reason_of(path, source.found)
            if not why and source.fingerprint.kind is Kind.FOLDER and (inside := privacy.below(path)):
                why = f"holds {to_wire(os.path.basename(inside[0]))}, which is private"
            if why:
                return replace(item, protected=why)
    return item


_Key = tuple[int, bytes]


def _ordered(moves: Mapping[_Key, tuple[Source, bytes]], protection: Protection) -> list[PlanItem]:
    """The renames in an order in which every new name is free, rings as exchanges."""
    items: list[PlanItem] = []
    done: set[_Key] = set()
    for start in moves:
        chain: dict[_Key, None] = {}
        key = start
        while key in moves and key not in done and key not in chain:
            chain[key] = None
            source, new = moves[key]
            key = (source.folder, new)
        if key in chain:
            # A ring can only close at its start: every name has one way out.
            items += _ring([moves[at][0] for at in chain], protection)
        else:
            for at in reversed(chain):
                source, new = moves[at]
                _must_be_free(source, new, done)
                items.append(_rename(source, new, protection))
                done.add(at)
        done.update(chain)
    return items


def _must_be_free(source: Source, new: bytes, done: set[_Key]) -> None:
    found = fingerprint.of_name(new, source.folder)
    if found is None or (source.folder, new) in done:
        return
    if found.is_same_file(source.fingerprint) and folded(new) == folded(source.place.name):
        return
    raise TargetTaken(source.place.renamed(new).path)


def _rename(source: Source, new: bytes, protection: Protection) -> PlanItem:
    target, mark = source.place.renamed(new), source.fingerprint
    why = protection.reason(target.path) or protection.reason(source.place.path)
    return PlanItem(Rename.name, mark.kind, source.place, target, mark, totals=amount(mark), protected=why)


def _ring(sources: Sequence[Source], protection: Protection) -> list[PlanItem]:
    """Names in a ring: the first trades places with each of the others in turn, with the last for good."""
    first, last = sources[0], sources[-1]
    items = []
    for before, source in pairwise(sources):
        totals = amount(before.fingerprint)
        items.append(
            PlanItem(
                Swap.name,
                before.fingerprint.kind,
                first.place,
                source.place,
                before.fingerprint,
                source.fingerprint,
                totals=totals + amount(last.fingerprint) if source is last else totals,
                protected=protection.reason(source.place.path) or protection.reason(first.place.path),
            )
        )
    return items
