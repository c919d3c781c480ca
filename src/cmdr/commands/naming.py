"""The person names what an agent proposes to create: the proposal stays, its plan becomes theirs."""

import os

from cmdr.commands.real_places import with_real_places
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.engine.new_plan import plan_mkdir, plan_mkfile
from cmdr.model.names import from_wire, to_wire
from cmdr.model.plans.plan import Verb
from cmdr.model.results.result import Said

_PLANNED = {Verb.MKDIR: plan_mkdir, Verb.MKFILE: plan_mkfile}


@command("proposal.name", access=Access.ACT, title="Name what is created")
async def name_proposal(call: Call, *, proposal: str, name: str) -> Said:
    """Give the folder or file that a proposal creates another name."""
    commander = call.commander
    asked = commander.proposals.get(proposal, call.principal)
    plan = asked.plan
    planned = _PLANNED.get(plan.verb)
    if planned is None or plan.totals.bytes:
        raise CommandError("Only a new folder or an empty new file can be given another name here.")
    new = os.path.join(os.path.dirname(plan.subject.place.path), from_wire(name))
    if "/" in name:
        raise CommandError('A name holds no "/".')
    protection = commander.sandbox.protection
    renamed = await in_thread(lambda: with_real_places(planned(new, protection=protection), protection))
    commander.proposals.replan(proposal, renamed, call.principal)
    return Said(f"Named {to_wire(new)}")
