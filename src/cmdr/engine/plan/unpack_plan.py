"""Planning to unpack: what would come out of archives, by their own lists, before anything is written."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice

from cmdr.engine.errors import saying
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import READ_FLAGS, Syscalls
from cmdr.engine.plan.choices import USUAL, Choices
from cmdr.engine.plan.missing_folders import way_to
from cmdr.engine.plan.refusals import ChangedSince, NothingToDo, NotUnpacked, TooMany, Unreadable
from cmdr.engine.plan.sources import PrivateSources
from cmdr.engine.plan.survey import Source, Survey
from cmdr.engine.plan.unpacked_tree import UnpackedTree
from cmdr.files.archives.archive_file import BadArchive, Entry
from cmdr.files.archives.opening import Archive, open_archive
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Kind, Plan, Verb

MOST_MEMBERS = 200_000
"""Names in one archive: its whole list is held while it is planned."""


def plan_unpack(paths: Sequence[bytes], destination: bytes, choices: Choices = USUAL) -> Plan:
    """Unpack archives into a folder, made where it is missing; each into a folder of its own there."""
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        way = way_to(survey, destination)
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
        raise Unreadable(source.place.path, saying(problem)) from problem
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
        raise Unreadable(path, saying(problem)) from problem
    try:
        if not fingerprint.shows(os.fstat(fd), source.fingerprint):
            raise ChangedSince(path)
        try:
            archive = open_archive(lambda count, at: os.pread(fd, count, at), source.found.st_size)
        except BadArchive as problem:
            raise NotUnpacked(path, str(problem)) from problem
        except OSError as problem:
            raise Unreadable(path, saying(problem)) from problem
        yield archive
    finally:
        os.close(fd)
