"""What a change that looks harmless would bring about: a program that can be run, a folder that others obey.

Only changes that nobody looks at are held to this. A person who copies a folder of scripts sees what they do.
"""

import os
from collections.abc import Sequence
from dataclasses import replace

from cmdr.files.protected import Protection
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Kind, Plan, PlanItem
from cmdr.model.plans.steps import KINDS

_PROGRAM = "becomes a program that can be run"


def with_protection(plan: Plan, protection: Protection) -> Plan:
    """The same plan with what becomes protected by it marked as such; looks at the disk."""
    items = tuple(_marked(item, protection) for item in plan.items)
    return plan if items == plan.items else replace(plan, items=items)


def known_as(plan: Plan, names: Sequence[bytes], protection: Protection) -> Plan:
    """The same plan, protected when one of the names by which it was asked for is: a link may have led elsewhere."""
    if plan.protected:
        return plan
    for name in names:
        if why := protection.reason(name):
            *others, last = plan.items
            return replace(plan, items=(*others, replace(last, protected=f"{why}, as {to_wire(name)}")))
    return plan


def _marked(item: PlanItem, protection: Protection) -> PlanItem:
    if item.protected or item.target is None:
        return item
    if item.kind is Kind.FOLDER and KINDS[item.step].moves_folders:
        why = protection.reason_below(item.target.path)
    else:
        why = _PROGRAM if _gains_leave_to_run(item) else ""
    return replace(item, protected=why) if why else item


def _gains_leave_to_run(item: PlanItem) -> bool:
    """Whether a copy can be run where nothing that could be run has stood."""
    if not KINDS[item.step].brings_contents or item.kind is not Kind.FILE or item.remove_source:
        return False
    source = item.source
    return source is not None and _can_be_run(source.path) and not (item.target and _can_be_run(item.target.path))


def _can_be_run(path: bytes) -> bool:
    try:
        return bool(os.lstat(path).st_mode & 0o111)
    except OSError:
        return False
