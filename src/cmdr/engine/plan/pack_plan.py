"""Planning to pack: an archive, and all that would go into it."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.archive_writer import ENDINGS
from cmdr.engine.plan.choices import USUAL, Choices
from cmdr.engine.plan.missing_folders import way_to
from cmdr.engine.plan.refusals import Clash, NotAnArchiveName, SameTarget, TargetTaken, Unreadable
from cmdr.engine.plan.sources import PrivateSources, outermost
from cmdr.engine.plan.survey import Source, Survey, split
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.pack import Add, Pack
from cmdr.model.plans.plan import ConflictPolicy, Kind, Place, Plan, PlanItem, Totals, Verb
from cmdr.model.plans.plan_draft import PlanDraft

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
        way = way_to(survey, above)
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
