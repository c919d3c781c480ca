"""Which work an item of a plan needs."""

from cmdr.engine.fs import finder_trash
from cmdr.engine.steps.attributes import Dressed
from cmdr.engine.steps.bench import Work
from cmdr.engine.steps.copy import CopiedFile, CopiedLink, NewFile, NewLink, Twin
from cmdr.engine.steps.make_folder import MadeFolder
from cmdr.engine.steps.relocation import Removed, Renamed, Swapped, Trashed
from cmdr.model.plans.plan import Kind, PlanItem, StepName

_WORKS: dict[StepName, type[Work]] = {
    StepName.MAKE: MadeFolder,
    StepName.COPY: CopiedFile,
    StepName.TWIN: Twin,
    StepName.RENAME: Renamed,
    StepName.SWAP: Swapped,
    StepName.TRASH: Trashed,
    StepName.REMOVE: Removed,
    StepName.CREATE: NewFile,
    StepName.LINK: NewLink,
    StepName.ATTRIBUTES: Dressed,
}


def work_for(item: PlanItem) -> type[Work]:
    """The kind of work by which an item is carried out."""
    if item.step in (StepName.PACK, StepName.ADD):
        from cmdr.engine.steps.pack import Added, Packed

        return Packed if item.step is StepName.PACK else Added
    if item.step in (StepName.COPY, StepName.TWIN) and item.member is not None:
        from cmdr.engine.steps.unpack import UnpackedFile, UnpackedLink, UnpackedTwin

        if item.step is StepName.TWIN:
            return UnpackedTwin
        return UnpackedLink if item.kind is Kind.LINK else UnpackedFile
    if item.step is StepName.COPY and item.kind is Kind.LINK:
        return CopiedLink
    if item.step is StepName.TRASH and finder_trash.is_the_trash():
        return finder_trash.SentToFinder
    return _WORKS[item.step]
