"""Where the folders of a plan really lie: a link on the way must not hide that something protected is changed."""

import os
from dataclasses import replace

from cmdr.engine.plan.refusals import ChangedSince
from cmdr.files.protected import Protection
from cmdr.files.sandbox.beneath import real_path
from cmdr.model.names import to_wire
from cmdr.model.plans.packed_items import packed
from cmdr.model.plans.plan import Plan, PlanItem, Root
from cmdr.model.plans.steps import KINDS

_HANDLE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def with_real_places(plan: Plan, protection: Protection) -> Plan:
    """The same plan with what is protected by its real path marked as such; looks at the disk.

    The folders are those that were planned with, by their identity: a link that was turned meanwhile is refused.
    """
    elsewhere = {root.path: real for root in plan.roots if (real := _real(root)) != root.path}
    if not elsewhere or not any(_reason(item, elsewhere, protection) for item in plan.items):
        return plan
    items = packed(_marked(item, elsewhere, protection) for item in plan.items)
    return replace(plan, items=items).weigh()


def _real(root: Root) -> bytes:
    try:
        folder = os.open(root.path, _HANDLE)
    except OSError as problem:
        raise ChangedSince(root.path) from problem
    try:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) != (root.dev, root.ino):
            raise ChangedSince(root.path)
        return real_path(folder)
    finally:
        os.close(folder)


def _marked(item: PlanItem, elsewhere: dict[bytes, bytes], protection: Protection) -> PlanItem:
    why = _reason(item, elsewhere, protection)
    return replace(item, protected=why) if why else item


def _reason(item: PlanItem, elsewhere: dict[bytes, bytes], protection: Protection) -> str:
    if item.protected or KINDS[item.step].is_left_alone:
        return ""
    is_only_read = item.is_unpacked or (KINDS[item.step].only_reads_source and not item.remove_source)
    for place in (item.target, None if is_only_read else item.source):
        if place is not None and place.root in elsewhere:
            real = elsewhere[place.root].rstrip(b"/") + b"/" + place.rel
            if why := protection.reason(real):
                return f"{why}, as {to_wire(real)}"
    return ""
