"""The person and the tabs of agents: follow one, or let agents into a tab of one's own."""

from typing import Annotated

from cmdr.commands._paths import PaneRef, pane_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.names import printable
from cmdr.model.results.result import Said


@command("tab.follow_agent", access=Access.ACT, title="Follow the agent")
def follow_agent(
    call: Call, *, agent: Annotated[str | None, Doc("its name; the one that acted last if left out")] = None
) -> Said:
    """Keep an agent's tabs in front and go along with it; once more ends that."""
    fronts = call.commander.agent_fronts
    named = f"agent:{agent}" if agent else ""
    if fronts.following and named in ("", fronts.following):
        told = f"Not following {_name(fronts.following)} any more"
        fronts.follow("")
        return Said(told)
    followed = named or fronts.newest()
    if not fronts.has_tabs(followed):
        raise CommandError(f"{_name(followed)} has no tab of its own at the moment.")
    fronts.follow(followed)
    return Said(f"Following {_name(followed)}")


@command("tab.let_agents_in", access=Access.ACT, title="Let agents into this tab")
def let_agents_in(call: Call, *, pane: PaneRef = "focused", value: bool | None = None) -> Said:
    """While this tab is in front, agents work in it instead of in tabs of their own; once more ends that."""
    tab = pane_of(call.workspace, pane).tab
    if tab.agent:
        raise CommandError(f"This tab is {_name(tab.agent)}'s own.")
    tab.lets_agents_in = not tab.lets_agents_in if value is None else value
    call.events.changed()
    return Said("Agents work in this tab with you" if tab.lets_agents_in else "Agents keep out of this tab")


def _name(agent: str) -> str:
    return printable(agent.partition(":")[2], 40)
