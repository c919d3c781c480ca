"""A new symbolic link, or a further name of an existing file."""

from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.steps.staged_file import StagedFile, must_match
from cmdr.model.plans.steps import StepName


class Link(StagedFile):
    """A new symbolic link, or a further name of an existing file."""

    name = StepName.LINK

    def write(self, temp: Spot) -> None:
        self._made = True
        if self.item.source is None:
            self.context.syscalls.symlink(self.item.data or b"", temp.name, temp.folder)
        else:
            source = self.context.spot(self.item.source)
            must_match(self.expected(), source.found)
            self.context.syscalls.link(source.name, source.folder, temp.name, temp.folder)
        self.mark_made(temp)
