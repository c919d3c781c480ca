"""Planning the way back from the trash: each file to where its note says it came from."""

import os
from collections.abc import Sequence
from contextlib import ExitStack

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.trash import NOTE, read_note
from cmdr.engine.plan.refusals import NotInTrash
from cmdr.engine.plan.survey import Check, Limits, Survey, go_on, good_name
from cmdr.engine.plan.targets import Clashes, Targets, require_trash
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.rename import Rename
from cmdr.files.file_stat import regular_file
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import ConflictPolicy, Decision, Kind, Place, Plan, PlanItem, Totals, Verb

_DEFAULT_LIMITS = Limits()
_DEFAULT_PROTECTION = Protection()
_MAX_NOTE_BYTES = 1 << 16


def plan_restore(
    trashed: Sequence[bytes],
    *,
    policy: ConflictPolicy = ConflictPolicy.ASK,
    limits: Limits = _DEFAULT_LIMITS,
    protection: Protection = _DEFAULT_PROTECTION,
    check: Check = go_on,
) -> Plan:
    """Bring files in a trash, named by their paths in its `files` folder, back to their old places."""
    with ExitStack() as stack:
        survey = Survey(limits, check, stack)
        targets = Targets(is_caseless=False, clashes=Clashes("Restore them one after the other."))
        folders: dict[bytes, PlanItem] = {}
        items = []
        for source in survey.sources(trashed, None):
            note, origin = _origin(survey, source.place)
            anchor, missing = _anchor(origin)
            root, folder = survey.root(anchor)
            for made in missing[:-1]:
                folders.setdefault(root.path + b"/" + made, _make(Place(root.path, made), protection))
            target = Place(root.path, missing[-1])
            targets.claim(target, source.place)
            standing = fingerprint.of_name(target.name, folder) if len(missing) == 1 else None
            decision, reason = _decide(policy, standing is not None)
            totals, names = survey.inside(source)
            if decision is Decision.REPLACE:
                require_trash(folder, target.path)
            items.append(
                PlanItem(
                    Rename.name if decision is not Decision.SKIP else Nothing.name,
                    source.fingerprint.kind,
                    source.place,
                    target,
                    source.fingerprint,
                    standing,
                    decision,
                    reason,
                    totals,
                    info=note,
                    protected=protection.reason(target.path),
                    names=names,
                )
            )
        targets.clashes.refuse()
        return Plan(Verb.RESTORE, (*folders.values(), *items), tuple(survey.roots.values()), policy)


def _decide(policy: ConflictPolicy, is_taken: bool) -> tuple[Decision, str]:
    if not is_taken or policy is ConflictPolicy.RENAME:
        return Decision.LAND, ""
    if policy is ConflictPolicy.OVERWRITE:
        return Decision.REPLACE, ""
    if policy is ConflictPolicy.ASK:
        return Decision.ASK, ""
    return Decision.SKIP, "the name is taken"


def _make(target: Place, protection: Protection) -> PlanItem:
    why = protection.reason(target.path)
    return PlanItem(MakeFolder.name, Kind.FOLDER, None, target, totals=Totals(0, 1, 0), protected=why)


def _origin(survey: Survey, place: Place) -> tuple[Place, bytes]:
    """The note about a file in a trash, and the path it tells."""
    site, files = os.path.split(place.root.rstrip(b"/"))
    if files != b"files" or not os.path.isdir(site + b"/info"):
        raise NotInTrash(place.path)
    root, folder = survey.root(site + b"/info")
    note = Place(root.path, place.name + NOTE)
    try:
        with regular_file(note.name, folder) as file:
            origin = read_note(file.read(_MAX_NOTE_BYTES), _top(site))
    except OSError as problem:
        raise NotInTrash(place.path) from problem
    if origin is None or b".." in origin.split(b"/"):
        raise NotInTrash(place.path)
    return note, origin


def _top(site: bytes) -> bytes:
    above = os.path.dirname(site)
    return os.path.dirname(above) if os.path.basename(above) == b".Trash" else above


def _anchor(path: bytes) -> tuple[bytes, list[bytes]]:
    """The nearest folder above a path that exists, and the ways down from it, the last one to the path itself."""
    above, name = os.path.split(path)
    ways = [good_name(name)]
    while above != b"/" and not os.path.isdir(above):
        above, name = os.path.split(above)
        ways = [name, *(name + b"/" + way for way in ways)]
    return above, ways
