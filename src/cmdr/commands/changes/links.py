"""Links: a name that leads to a file or folder, or a further name of the same file."""

import os
from typing import Annotated, Literal

from cmdr.commands._paths import PaneRef, path_of
from cmdr.commands.changes.named_files import pane_for
from cmdr.commands.changes.planning import other_pane, proposed, with_real_places
from cmdr.commands.panes.file import under_cursor
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.fs import fingerprint
from cmdr.engine.plan.new_plan import plan_link
from cmdr.engine.plan.refusals import ChangedSince
from cmdr.files.errors import disk_error
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Plan
from cmdr.model.results.changes import Proposed

LinkKind = Literal["symbolic", "relative", "hard"]


@command("link", access=Access.PROPOSE, title="Make a link")
async def link(
    call: Call,
    *,
    pane: PaneRef | None = None,
    to: Annotated[str | None, Doc("what it leads to; default: under the cursor")] = None,
    path: Annotated[str | None, Doc("the link, or a folder for it; default: in the other pane")] = None,
    kind: LinkKind = "symbolic",
    reason: str = "",
) -> Proposed:
    """Propose to make a link: symbolic by its whole path, relative from the link's folder, or a hard one."""
    shown = pane_for(call, "link", pane, to, ways='"to", or "pane" for what is under its cursor')
    leads_to = under_cursor(shown) if to is None else path_of(to, shown.tab.path)
    other = call.workspace.pane(shown.side.other).tab.path
    stands = other if path is None else path_of(path, shown.tab.path)
    sandbox = call.commander.sandbox
    plan = await in_thread(_planned, stands, leads_to, kind, sandbox, is_agents=not call.principal.is_person)
    note = ["" if path else other_pane(other)]
    is_dangling = not await in_thread(os.path.lexists, leads_to)
    note += ["nothing stands there yet"] if is_dangling else []
    return await proposed(call, plan, "Link", reason, note="\n".join(filter(None, note)))


def _planned(stands: bytes, leads_to: bytes, kind: LinkKind, sandbox: Sandbox, *, is_agents: bool) -> Plan:
    if os.path.isdir(stands):
        stands = os.path.join(stands, os.path.basename(leads_to))
    if kind == "hard":
        plan = _second_name(stands, leads_to, sandbox, is_agents)
    else:
        text = leads_to if kind == "symbolic" else os.path.relpath(_real(leads_to), os.path.dirname(_real(stands)))
        plan = plan_link(stands, text, protection=sandbox.protection)
    return with_real_places(plan, sandbox.protection)


def _second_name(stands: bytes, leads_to: bytes, sandbox: Sandbox, is_agents: bool) -> Plan:
    """A hard link; refused to other disks, and to agents for what they may not read: the new name could be read."""
    above = os.path.dirname(stands)
    try:
        found = os.lstat(leads_to)
        is_elsewhere = os.path.isdir(above) and os.stat(above).st_dev != found.st_dev
    except OSError as error:
        raise disk_error(leads_to, error) from error
    if is_agents and (why := sandbox.private.reason_of(_real(leads_to), found)):
        raise CommandError(f"{to_wire(leads_to)} {why}; agents give it no other name.")
    if is_elsewhere:
        raise CommandError(f"{to_wire(above)} is on another disk, where no hard link can be. Make a symbolic one.")
    plan = plan_link(stands, leads_to, hard=True, protection=sandbox.protection)
    if plan.subject.fingerprint != fingerprint.of_stat(found):
        raise ChangedSince(leads_to)  # not the file that was found to be nobody's secret
    return plan


def _real(path: bytes) -> bytes:
    """Where a name really lies; what stands there is not followed."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)
