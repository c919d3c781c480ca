"""The folders on the way to a target that are not there yet: part of the same plan, made first, undone with it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.engine.plan.refusals import NotAFolder, NotThere, TooMany
from cmdr.engine.plan.survey import Survey, split
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import Decision, Kind, Place, PlanItem, Root


@dataclass(frozen=True, slots=True)
class Way:
    """A folder that stands, held open, and the names below it that are still to be made."""

    root: Root
    folder: int
    missing: tuple[bytes, ...] = ()

    @property
    def end(self) -> int | None:
        """The open folder at the end of the way; None while it is not made."""
        return None if self.missing else self.folder

    def place(self, name: bytes) -> Place:
        """A name at the end of the way."""
        return Place(self.root.path, b"/".join((*self.missing, name)))

    def made(self, protection: Protection) -> Iterator[PlanItem]:
        """What makes the way, outermost first; a folder that came meanwhile is joined."""
        for depth in range(1, len(self.missing) + 1):
            target = Place(self.root.path, b"/".join(self.missing[:depth]))
            why = protection.reason(target.path)
            yield PlanItem(MakeFolder.name, Kind.FOLDER, None, target, decision=Decision.MERGE, protected=why)


def way_to(survey: Survey, path: bytes) -> Way:
    """The way to a folder that may be missing; refused where something else has one of the names."""
    missing: list[bytes] = []
    while True:
        try:
            root, folder = survey.root(path)
        except NotThere:
            if os.path.lexists(path):
                raise NotAFolder(path) from None  # a link that leads nowhere
            path, name = split(path)
            missing.insert(0, name)
            if len(missing) > survey.limits.depth:
                raise TooMany(survey.limits.depth, "folders inside each other") from None
        else:
            return Way(root, folder, tuple(missing))
