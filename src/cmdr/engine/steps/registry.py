"""Which work an item of a plan needs."""

from cmdr.engine.fs import finder_trash
from cmdr.engine.steps.attributes import Dressed
from cmdr.engine.steps.bench import Work
from cmdr.engine.steps.copy import CopiedFile, CopiedLink, NewFile, NewLink, Twin
from cmdr.engine.steps.make_folder import MadeFolder
from cmdr.engine.steps.relocation import Removed, Renamed, Swapped, Trashed
from cmdr.model.plans.plan import Kind, PlanItem, Step

_WORKS: dict[Step, type[Work]] = {
    Step.MAKE: MadeFolder,
    Step.COPY: CopiedFile,
    Step.TWIN: Twin,
    Step.RENAME: Renamed,
    Step.SWAP: Swapped,
    Step.TRASH: Trashed,
    Step.REMOVE: Removed,
    Step.CREATE: NewFile,
    Step.LINK: NewLink,
    Step.ATTRIBUTES: Dressed,
}


def work_for(item: PlanItem) -> type[Work]:
    """The kind of work by which an item is carried out."""
    if item.step in (Step.PACK, Step.ADD):
        from cmdr.engine.steps.pack import Added, Packed

        return Packed if item.step is Step.PACK else Added
    if item.step in (Step.COPY, Step.TWIN) and item.member is not None:
        from cmdr.engine.steps.unpack import UnpackedFile, UnpackedLink, UnpackedTwin

        if item.step is Step.TWIN:
            return UnpackedTwin
        return UnpackedLink if item.kind is Kind.LINK else UnpackedFile
    if item.step is Step.COPY and item.kind is Kind.LINK:
        return CopiedLink
    if item.step is Step.TRASH and finder_trash.is_the_trash():
        return finder_trash.SentToFinder
    return _WORKS[item.step]
