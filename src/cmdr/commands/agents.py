"""All agents at once: what this run lets them do, stopping them, and letting them call again."""

import json

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command


@command("agents.stop", access=Access.ACT, title="Stop all agents")
def stop_agents(call: Call) -> str:
    """End every agent's call, drop what agents proposed, and refuse new calls."""
    call.commander.stop_agents()
    return "All agents are stopped"


@command("agents.allow", access=Access.ACT, title="Allow agents again")
def allow_agents(call: Call) -> str:
    """Let agents call again."""
    call.commander.allow_agents()
    return "Agents may call again"


@command("app.access", access=Access.READ, title="What agents may do", plain=True)
def access(call: Call) -> str:
    """What this run lets agents do, as JSON: toolsets, switches, the folders their file tools may use, and what keeps
    it from recording what is done."""
    policy = call.commander.policy
    switches = [name for name, on in (("write", policy.allow_write), ("shell", "shell" in policy.toolsets)) if on]
    roots = [str(root) for root in call.commander.sandbox.roots]
    told = {"toolsets": sorted(policy.toolsets), "switches": switches, "roots": roots}
    return json.dumps({**told, "warnings": call.commander.warnings.told()})
