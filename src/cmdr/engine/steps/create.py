"""A new file with contents from the plan, also in place of one that stands there."""

import os

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import write_contents
from cmdr.engine.fs.metadata import keep_metadata
from cmdr.engine.steps.staged_file import StagedFile, must_match
from cmdr.model.plans.plan import Kind
from cmdr.model.plans.steps import StepName


class Create(StagedFile):
    """A file with contents from the plan; in place of an existing one it takes over owner, mode and attributes."""

    name = StepName.CREATE

    def write(self, temp: Spot) -> None:
        syscalls = self.context.syscalls
        if self.item.data is None:
            raise Drifted("its contents are not known any more")
        self._made = True
        mode = 0o600 if self.replacing else 0o666 if self.item.mode is None else self.item.mode
        self.fd = target = syscalls.create(temp.name, temp.folder, mode)
        self.staged = fingerprint.of_open(target)
        write_contents(syscalls, target, self.item.data)
        if self.replacing is not None and self.replacing.kind is Kind.FILE:
            self._take_over(target)
        self.staged = fingerprint.of_open(target)

    def _take_over(self, target: int) -> None:
        standing = self.context.spot(self.target)
        before = self.context.syscalls.open(standing.name, standing.folder)
        try:
            found = os.fstat(before)
            must_match(self.replacing, fingerprint.of_stat(found))
            self.warnings = keep_metadata(self.context.syscalls, before, target, found, times=False)
        finally:
            self.context.syscalls.discard(before)
