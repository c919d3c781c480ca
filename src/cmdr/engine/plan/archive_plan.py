"""Planning to pack and to unpack: what would go into an archive, or come out, before anything is written."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice

from cmdr.engine.errors import error_text
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.archive_writer import ENDINGS
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import READ_FLAGS, Syscalls
from cmdr.engine.plan.refusals import (
    ChangedSince,
    Clash,
    NotAnArchiveName,
    NothingToDo,
    NotUnpacked,
    SameTarget,
    TargetTaken,
    TooMany,
    Unreadable,
)
from cmdr.engine.plan.sources import PrivateSources, outermost
from cmdr.engine.plan.survey import USUAL, Choices, Source, Survey, split
from cmdr.engine.plan.target_folders import target_path
from cmdr.engine.plan.unpacked_tree import UnpackedTree
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.pack import Add, Pack
from cmdr.files.archives.archive_file import BadArchive, Entry
from cmdr.files.archives.opening import Archive, open_archive
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import ConflictPolicy, Kind, Place, Plan, PlanItem, Totals, Verb
from cmdr.model.plans.plan_facts import PlanDraft

_SPECIAL = "pipes, sockets and devices are not packed"
_UNREADABLE = "you may not read it"
_ONE_BY_ONE = "In an archive they would be one. Pack them one after the other."


def plan_pack(paths: Sequence[bytes], archive: bytes, choices: Choices = USUAL) -> Plan:
    """Pack files and folders into a new archive, of the kind that its name ends in."""
    above, name = split(archive)
    if not name.lower().endswith(ENDINGS) or name.lower() in ENDINGS:
        raise NotAnArchiveName(name)
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        way = target_path(survey, above)
        if way.end is not None and fingerprint.of_name(name, way.end) is not None:
            raise TargetTaken(archive)
        target = way.place(name)
        items = PlanDraft()
        for made in way.made(choices.protection):
            items.append(made)
        why = choices.protection.reason(target.path)
        items.append(PlanItem(Pack.name, Kind.FILE, None, target, protected=why))
        packed = _Contents(survey, PrivateSources(choices.privacy), items)
        for source in survey.sources(outermost(paths), choices.expected):
            packed.choose(source)
        roots = tuple(survey.roots.values())
        return Plan(Verb.PACK, items.done(), roots, ConflictPolicy.SKIP, archive).weigh(items.facts)


@dataclass(slots=True)
class _Contents:
    """What goes into one archive, as it is found; always in the order of names."""

    survey: Survey
    private: PrivateSources
    items: PlanDraft
    _chosen: dict[bytes, bytes] = field(default_factory=dict)
    """By the name in the archive."""

    def choose(self, source: Source) -> None:
        """Take in a chosen file or folder, which lies in the archive under its own name."""
        path, name = source.place.path, source.place.rel
        if name in self._chosen:
            raise SameTarget([Clash(self._chosen[name], path, name)], 1, _ONE_BY_ONE)
        self._chosen[name] = path
        self._entry(source, 1)

    def _entry(self, source: Source, depth: int) -> None:
        self.survey.check()
        mark = source.fingerprint
        match mark.kind:
            case Kind.SPECIAL:
                self._leave(source, _SPECIAL)
            case Kind.FOLDER:
                self._folder(source, depth)
            case Kind.FILE if not os.access(source.place.name, os.R_OK, dir_fd=source.folder):
                self._leave(source, _UNREADABLE)
            case _:
                self.survey.count()
                self._add(source, Totals(1, 0, mark.size if mark.kind is Kind.FILE else 0))

    def _folder(self, source: Source, depth: int) -> None:
        place = source.place
        try:
            children = self.survey.children(source.folder, place.name, depth, place.path)
        except Unreadable:
            self._leave(source, _UNREADABLE)
            return
        with children:
            self._add(source, Totals(0, 1, 0))
            for name, found in children.entries():
                self._entry(Source(Place(place.root, place.rel + b"/" + name), children.fd, found), depth + 1)

    def _add(self, source: Source, totals: Totals) -> None:
        mark, why = source.fingerprint, self.private.reason(source)
        self.items.append(PlanItem(Add.name, mark.kind, source.place, None, mark, totals=totals, protected=why))

    def _leave(self, source: Source, why: str) -> None:
        self.survey.count()
        mark = source.fingerprint
        self.items.append(Nothing.because(why, mark.kind, source.place, None, mark))


MOST_MEMBERS = 200_000
"""Names in one archive: its whole list is held while it is planned."""


def plan_unpack(paths: Sequence[bytes], destination: bytes, choices: Choices = USUAL) -> Plan:
    """Unpack archives into a folder, made where it is missing; each into a folder of its own there."""
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        way = target_path(survey, destination)
        folders = stack.enter_context(Folders(Syscalls(), [way.root]))
        tree = UnpackedTree(way, folders, choices)
        privacy = PrivateSources(choices.privacy)
        for chosen in survey.sources(paths, choices.expected):
            # What a link leads to is the archive; the plan names that.
            is_link = chosen.fingerprint.kind is Kind.LINK
            source = survey.source(os.path.realpath(chosen.place.path)) if is_link else chosen
            with _opened(source) as archive:
                entries = _entries(source, archive, choices.check)
                survey.count(len(entries))
                tree.add(source, entries, privacy.reason(source))
        items = tree.items.done()
        if not tree.is_any:
            why = next((item.reason for item in items if item.reason), "nothing is in it")
            raise NothingToDo(f"Nothing can be unpacked: {why}. Look inside it first.")
        roots = tuple(survey.roots.values())
        plan = Plan(Verb.UNPACK, items, roots, choices.policy, destination, tree.free, tree.need)
        return plan.weigh(tree.items.facts)


def _entries(source: Source, archive: Archive, check: Callable[[], None]) -> list[Entry]:
    try:
        found = list(islice(archive.entries(check), MOST_MEMBERS + 1))
    except BadArchive as problem:
        raise NotUnpacked(source.place.path, str(problem)) from problem
    except OSError as problem:
        raise Unreadable(source.place.path, error_text(problem)) from problem
    if len(found) > MOST_MEMBERS:
        raise TooMany(MOST_MEMBERS, f"names in {to_wire(source.place.name)}")
    return found


@contextmanager
def _opened(source: Source) -> Iterator[Archive]:
    path = source.place.path
    if source.fingerprint.kind is not Kind.FILE:
        raise NotUnpacked(path, "it is not a file")
    try:
        fd = os.open(source.place.name, READ_FLAGS, dir_fd=source.folder)
    except OSError as problem:
        raise Unreadable(path, error_text(problem)) from problem
    try:
        if not fingerprint.shows(os.fstat(fd), source.fingerprint):
            raise ChangedSince(path)
        try:
            archive = open_archive(lambda count, at: os.pread(fd, count, at), source.found.st_size)
        except BadArchive as problem:
            raise NotUnpacked(path, str(problem)) from problem
        except OSError as problem:
            raise Unreadable(path, error_text(problem)) from problem
        yield archive
    finally:
        os.close(fd)
