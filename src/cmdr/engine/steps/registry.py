"""Every kind of step by its name."""

from cmdr.engine.steps.attributes import SetAttributes
from cmdr.engine.steps.copy import Copy, Twin
from cmdr.engine.steps.create import Create
from cmdr.engine.steps.link import Link
from cmdr.engine.steps.make_folder import MakeFolder
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.pack import Add, Pack
from cmdr.engine.steps.remove import Remove
from cmdr.engine.steps.rename import Rename
from cmdr.engine.steps.step import Step
from cmdr.engine.steps.swap import Swap
from cmdr.engine.steps.trash import Trash
from cmdr.model.plans.plan import PlanItem
from cmdr.model.plans.steps import StepName

_KINDS: tuple[type[Step], ...] = (
    MakeFolder,
    Copy,
    Twin,
    Rename,
    Swap,
    Trash,
    Remove,
    Create,
    Link,
    SetAttributes,
    Pack,
    Add,
    Nothing,
)
STEPS: dict[StepName, type[Step]] = {kind.name: kind for kind in _KINDS}


def step_of(item: PlanItem) -> type[Step]:
    """What knows an item of a plan or a journal: by its name alone, whatever would carry it out on this system."""
    return STEPS[item.step]
