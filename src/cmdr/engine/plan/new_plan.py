"""Planning new things: folders, files, links, and new contents for a file; missing folders are made on the way."""

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from cmdr.engine.errors import error_text
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.mounts import free_bytes
from cmdr.engine.plan.refusals import ChangedSince, NotEnoughSpace, PlanRefused, TargetTaken, Unreadable
from cmdr.engine.plan.survey import Limits, Survey, go_on, split
from cmdr.engine.plan.target_folders import TargetPath, target_path
from cmdr.engine.plan.targets import require_trash
from cmdr.engine.steps.create import Create
from cmdr.engine.steps.link import Link
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.files.file_stat import regular_file
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import ConflictPolicy, Decision, Fingerprint, Kind, Place, Plan, PlanItem, Totals, Verb

_DEFAULT_PROTECTION = Protection()


def plan_mkdir(path: bytes, *, protection: Protection = _DEFAULT_PROTECTION) -> Plan:
    """Make a folder."""

    def item(target: Place, why: str) -> PlanItem:
        return PlanItem(MakeFolder.name, Kind.FOLDER, None, target, totals=Totals(0, 1, 0), protected=why)

    return _new(Verb.MKDIR, path, item, protection)


def plan_mkfile(
    path: bytes, contents: bytes = b"", *, mode: int | None = None, protection: Protection = _DEFAULT_PROTECTION
) -> Plan:
    """Make a new file."""

    def item(target: Place, why: str) -> PlanItem:
        size = Totals(1, 0, len(contents))
        return PlanItem(
            Create.name,
            Kind.FILE,
            None,
            target,
            totals=size,
            data=contents,
            mode=mode,
            protected=why or _runs(mode),
        )

    return _new(Verb.MKFILE, path, item, protection)


def plan_link(path: bytes, to: bytes, *, hard: bool = False, protection: Protection = _DEFAULT_PROTECTION) -> Plan:
    """Make a link: symbolic to any text, or a further name of an existing file."""

    def item(target: Place, why: str) -> PlanItem:
        return PlanItem(Link.name, Kind.LINK, None, target, totals=Totals(1, 0, 0), data=to, protected=why)

    if not hard:
        return _new(Verb.LINK, path, item, protection)
    with ExitStack() as stack:
        survey = Survey(Limits(), go_on, stack)
        source = survey.source(to)
        way, target = _free(survey, path)
        mark = source.fingerprint
        if mark.kind is Kind.FOLDER:
            raise Unreadable(to, "folders cannot have a second name; make a symbolic link instead")
        why = protection.reason(target.path) or protection.reason(source.place.path)
        found = PlanItem(
            Link.name, mark.kind, source.place, target, mark, totals=Totals(1, 0, mark.size), protected=why
        )
        items = (*way.made(protection), found)
        return Plan(Verb.LINK, items, tuple(survey.roots.values()), ConflictPolicy.SKIP)


def plan_write(
    path: bytes,
    contents: bytes,
    expected: Fingerprint | str | None = None,
    *,
    protection: Protection = _DEFAULT_PROTECTION,
) -> Plan:
    """Give a file new contents, or make it. `expected` is what the writer saw: a fingerprint or a SHA-256."""
    with ExitStack() as stack:
        survey = Survey(Limits(), go_on, stack)
        item, way, above, free = _written(survey, Writing(path, contents, expected), protection)
        roots = tuple(survey.roots.values())
        return Plan(
            Verb.WRITE, (*way.made(protection), item), roots, ConflictPolicy.OVERWRITE, above, free, len(contents)
        )


@dataclass(frozen=True, slots=True)
class Writing:
    """New contents for one file."""

    path: bytes
    contents: bytes
    expected: Fingerprint | str | None = None
    """What the writer saw: a fingerprint or a SHA-256; None: whatever stands there."""
    is_new: bool = False
    """Whether nothing may stand there."""


def plan_writes(
    writings: Sequence[Writing], *, protection: Protection = _DEFAULT_PROTECTION
) -> tuple[Plan | None, dict[int, PlanRefused]]:
    """Give several files new contents as one operation.

    Returns the plan of those that are as their writer saw them, None when there are none, and why the others are left
    out, by number. Raises `PlanRefused` for what concerns all of them.
    """
    refused: dict[int, PlanRefused] = {}
    made: dict[Place | None, PlanItem] = {}
    items: list[PlanItem] = []
    need: dict[int, int] = {}
    with ExitStack() as stack:
        survey = Survey(Limits(), go_on, stack)
        for number, writing in enumerate(writings):
            try:
                item, way, above, free = _written(survey, writing, protection)
            except NotEnoughSpace:
                raise
            except PlanRefused as why:
                refused[number] = why
                continue
            need[way.root.dev] = need.get(way.root.dev, 0) + len(writing.contents)
            if need[way.root.dev] > free:
                raise NotEnoughSpace(above, need[way.root.dev], free)
            made |= {folder.target: folder for folder in way.made(protection) if folder.target not in made}
            items.append(item)
        if not items:
            return None, refused
        roots = tuple(survey.roots.values())
        plan = Plan(
            Verb.WRITE, (*made.values(), *items), roots, ConflictPolicy.OVERWRITE, need_bytes=sum(need.values())
        )
        return plan, refused


def _written(survey: Survey, writing: Writing, protection: Protection) -> tuple[PlanItem, TargetPath, bytes, int]:
    """What writes one file, the way to it, its folder, and the room there."""
    contents = writing.contents
    # Writing through a link changes the file it leads to, so that file is what the plan shows.
    above, name = split(_real(writing.path))
    way = target_path(survey, above)
    folder, target = way.folder, way.place(name)
    standing = None if way.end is None else fingerprint.of_name(name, way.end)
    if standing is not None and (writing.is_new or standing.kind is not Kind.FILE):
        raise TargetTaken(target.path)
    if not _is_expected(writing.expected, standing, name, folder, target):
        raise ChangedSince(target.path)
    if standing is not None:
        require_trash(folder, target.path)
    free = free_bytes(folder)
    if len(contents) > free:
        raise NotEnoughSpace(target.path, len(contents), free)
    item = PlanItem(
        Create.name,
        Kind.FILE,
        None,
        target,
        existing=standing,
        decision=Decision.LAND if standing is None else Decision.REPLACE,
        totals=Totals(1, 0, len(contents)),
        data=contents,
        protected=protection.reason(target.path),
    )
    return item, way, above, free


def _real(path: bytes) -> bytes:
    try:
        return os.path.realpath(path)
    except OSError as problem:
        # A link on the way was exchanged while it was read.
        raise Unreadable(path, error_text(problem)) from problem


def _is_expected(
    expected: Fingerprint | str | None, standing: Fingerprint | None, name: bytes, folder: int, target: Place
) -> bool:
    if expected is None:
        return True
    if isinstance(expected, Fingerprint):
        return expected.matches(standing)
    if standing is None:
        return False
    try:
        with regular_file(name, folder) as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == expected.lower()
            return same and standing.matches(fingerprint.of_open(file.fileno()))
    except OSError as problem:
        raise Unreadable(target.path, error_text(problem)) from problem


def _new(verb: Verb, path: bytes, item: Callable[[Place, str], PlanItem], protection: Protection) -> Plan:
    with ExitStack() as stack:
        survey = Survey(Limits(), go_on, stack)
        way, target = _free(survey, path)
        made = item(target, protection.reason(target.path))
        roots = tuple(survey.roots.values())
        return Plan(verb, (*way.made(protection), made), roots, ConflictPolicy.SKIP, os.path.dirname(target.path))


def _free(survey: Survey, path: bytes) -> tuple[TargetPath, Place]:
    above, name = split(path)
    way = target_path(survey, above)
    if way.end is not None and fingerprint.of_name(name, way.end) is not None:
        raise TargetTaken(path)
    return way, way.place(name)


def _runs(mode: int | None) -> str:
    return "is a program that can be run" if mode is not None and mode & 0o111 else ""
