"""What a caller may choose about a plan, besides the files themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

from cmdr.engine.plan.survey import Check, Limits, go_on
from cmdr.files.protected import Privacy, Protection
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.name_fields import FolderPattern
from cmdr.model.plans.plan import ConflictPolicy, Fingerprint

_LIMITS = Limits()
_PROTECTION = Protection()


@dataclass(frozen=True, slots=True)
class Choices:
    """How files are to be copied, moved, trashed or deleted."""

    policy: ConflictPolicy = ConflictPolicy.ASK
    """What happens to a copied or moved file whose name is taken."""
    as_name: bytes | None = None
    """Another name at the destination, for a single file."""
    into: FolderPattern | None = None
    """Folders below the destination, named by fields of each file."""
    expected: Mapping[bytes, Fingerprint] | None = None
    """What the files looked like when they were chosen; a plan for others is refused."""
    limits: Limits = _LIMITS
    protection: Protection = _PROTECTION
    trash_home: bytes | None = None
    """The trash of the home volume, when it is not the usual one."""
    check: Check = go_on
    privacy: Privacy | None = None
    """Whose files these are: for an agent, private ones are marked; a person copies their own as they like."""
    attributes: AttributeWish | None = None
    """What is wanted of attributes, where those change."""


USUAL = Choices()
