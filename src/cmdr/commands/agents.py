"""All agents at once: what this run lets them do, stopping them, and letting them call again."""

from cmdr.core.call import Call
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.results.access import AgentAccess
from cmdr.model.results.result import Said


@command("agents.stop", access=Access.ACT, title="Stop all agents")
def stop_agents(call: Call) -> Said:
    """End every agent's call, drop what agents proposed, and refuse new calls."""
    call.commander.stop_agents()
    return Said("All agents are stopped")


@command("agents.allow", access=Access.ACT, title="Allow agents again")
def allow_agents(call: Call) -> Said:
    """Let agents call again."""
    call.commander.allow_agents()
    return Said("Agents may call again")


@command("app.access", access=Access.READ, title="What agents may do")
def access(call: Call) -> AgentAccess:
    """What this run lets agents do, as JSON: toolsets, switches, the folders their file tools may use, and what keeps
    it from recording what is done."""
    policy = call.commander.policy
    switches = [name for name, on in (("write", policy.allow_write), ("shell", "shell" in policy.toolsets)) if on]
    roots = tuple(str(root) for root in call.commander.sandbox.roots)
    return AgentAccess(tuple(sorted(policy.toolsets)), tuple(switches), roots, tuple(call.commander.warnings.told()))
