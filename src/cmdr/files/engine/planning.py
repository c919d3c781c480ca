"""Planning: what copying, moving, trashing or deleting would do, found out without touching anything.

All functions block and belong in a worker thread; `check` is called often and may raise to stop.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from cmdr.files.engine.mounts import volume_of
from cmdr.files.engine.protected import Protection
from cmdr.files.engine.refusals import BadName, InsideItself, NotEnoughSpace, NoTrash
from cmdr.files.engine.targets import Targets, is_caseless
from cmdr.files.engine.trash import home_trash, locate
from cmdr.files.engine.tree_plan import TreePlan
from cmdr.files.engine.walking import Check, Limits, Source, Survey, ancestry, go_on, good_name
from cmdr.model.plan import ConflictPolicy, Fingerprint, Kind, Place, Plan, PlanItem, Step, Totals, Verb

_DEFAULT_LIMITS = Limits()
_DEFAULT_PROTECTION = Protection()
_MANY = 10
"""Taking half of a folder is worth a second look only when it is more than a handful."""


def plan_copy(
    sources: Sequence[bytes],
    destination: bytes,
    *,
    policy: ConflictPolicy = ConflictPolicy.ASK,
    as_name: bytes | None = None,
    expected: Mapping[bytes, Fingerprint] | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    protection: Protection = _DEFAULT_PROTECTION,
    check: Check = go_on,
) -> Plan:
    """Copy files and folders into a folder; a single one may get another name there."""
    return _plan_tree(Verb.COPY, sources, destination, policy, as_name, expected, limits, protection, check)


def plan_move(
    sources: Sequence[bytes],
    destination: bytes,
    *,
    policy: ConflictPolicy = ConflictPolicy.ASK,
    as_name: bytes | None = None,
    expected: Mapping[bytes, Fingerprint] | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    protection: Protection = _DEFAULT_PROTECTION,
    check: Check = go_on,
) -> Plan:
    """Move files and folders into a folder; a single one may get another name there."""
    return _plan_tree(Verb.MOVE, sources, destination, policy, as_name, expected, limits, protection, check)


def plan_trash(
    sources: Sequence[bytes],
    *,
    expected: Mapping[bytes, Fingerprint] | None = None,
    trash_home: bytes | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    protection: Protection = _DEFAULT_PROTECTION,
    check: Check = go_on,
) -> Plan:
    """Move files and folders to the trash of their volumes."""
    with ExitStack() as stack:
        survey = Survey(limits, check, stack)
        chosen = survey.sources(sources, expected)
        for folder, path in {source.folder: source.place.path for source in chosen}.items():
            if locate(folder, trash_home or home_trash()) is None:
                raise NoTrash(path)
        items = [
            PlanItem(
                Step.TRASH,
                source.fingerprint.kind,
                source.place,
                fingerprint=source.fingerprint,
                totals=survey.totals(source),
                protected=protection.reason(source.place.path),
            )
            for source in chosen
        ]
        return Plan(Verb.TRASH, tuple(items), tuple(survey.roots.values()), emptied=_emptied(chosen))


def plan_delete(
    sources: Sequence[bytes],
    *,
    expected: Mapping[bytes, Fingerprint] | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    protection: Protection = _DEFAULT_PROTECTION,
    check: Check = go_on,
) -> Plan:
    """Delete files and folders for good: every single one named, nothing that is not in the plan."""
    with ExitStack() as stack:
        survey = Survey(limits, check, stack)
        chosen = survey.sources(sources, expected)
        items: list[PlanItem] = []
        for source in chosen:
            _deletions(survey, protection, source.folder, source.place, source.found, 1, items)
        return Plan(Verb.DELETE, tuple(items), tuple(survey.roots.values()), emptied=_emptied(chosen))


def _plan_tree(
    verb: Verb,
    paths: Sequence[bytes],
    destination: bytes,
    policy: ConflictPolicy,
    as_name: bytes | None,
    expected: Mapping[bytes, Fingerprint] | None,
    limits: Limits,
    protection: Protection,
    check: Check,
) -> Plan:
    with ExitStack() as stack:
        survey = Survey(limits, check, stack)
        chosen = survey.sources(paths, expected)
        if as_name is not None and len(chosen) != 1:
            raise BadName(as_name)
        root, folder = survey.root(destination)
        above = ancestry(folder)
        tree = TreePlan(verb, survey, Targets(is_caseless(folder)), policy, protection, volume_of(folder))
        for source in chosen:
            mark = source.fingerprint
            if mark.kind is Kind.FOLDER and (mark.dev, mark.ino) in above:
                raise InsideItself(source.place.path, destination)
            tree.add(source, folder, Place(root.path, good_name(as_name or source.place.name)))
        room = os.fstatvfs(folder)
        free = room.f_bavail * room.f_frsize
        if tree.need > free:
            raise NotEnoughSpace(destination, tree.need, free)
        emptied = _emptied(chosen) if verb is Verb.MOVE else ()
        return Plan(
            verb, tuple(tree.items), tuple(survey.roots.values()), policy, destination, free, tree.need, emptied
        )


def _deletions(
    survey: Survey,
    protection: Protection,
    folder: int,
    place: Place,
    found: os.stat_result,
    depth: int,
    items: list[PlanItem],
) -> None:
    """Every name below a place, children before their folder."""
    survey.check()
    source = Source(place, folder, found)
    mark = source.fingerprint
    if mark.kind is not Kind.FOLDER:
        survey.count()
        totals = Totals(1, 0, found.st_size)
    else:
        totals = Totals(0, 1, 0)
        with survey.children(folder, place.name, depth, place.path) as children:
            for name, stat in children.entries():
                below = Place(place.root, place.rel + b"/" + name)
                if stat.st_dev != found.st_dev:
                    reason = "another volume is mounted here, so it is kept"
                    items.append(PlanItem(Step.NOTHING, Kind.FOLDER, below, reason=reason))
                else:
                    _deletions(survey, protection, children.fd, below, stat, depth + 1, items)
    items.append(
        PlanItem(
            Step.REMOVE,
            mark.kind,
            place,
            fingerprint=mark,
            totals=totals,
            protected=protection.reason(place.path),
        )
    )


def _emptied(sources: Sequence[Source]) -> tuple[bytes, ...]:
    """The folders that lose more than half of what they hold."""
    taken: dict[int, list[Place]] = {}
    for source in sources:
        taken.setdefault(source.folder, []).append(source.place)
    return tuple(
        places[0].root
        for folder, places in taken.items()
        if len(places) >= _MANY and len(places) * 2 > len(os.listdir(folder))
    )
