"""Who may run what: the whole matrix of commands, callers and toolsets, generated from the registry."""

import pytest

from cmdr import commands
from cmdr.core.errors import NotAllowed, UnknownCommand
from cmdr.core.policy import Policy
from cmdr.core.principals import AGENT_ACCESS, PERSON, SAME_USER, Access, Principal
from cmdr.core.registry import ALL_TOOLSETS, DEFAULT_TOOLSETS, REGISTRY

commands.register()
COMMANDS = list(REGISTRY)
AGENT = Principal("agent", "tester", token=True)
UNPROVEN = Principal("agent", "tester")
PROVEN_ONLY = {"fs", "shell"}
"""Toolsets for callers with a token."""


def may(policy, command, principal):
    try:
        policy.admit(command, principal)
    except (NotAllowed, UnknownCommand):
        return False
    return True


def allowed(policy, principal):
    """What a caller may run, which must be what it gets to know."""
    runs = {command.name for command in COMMANDS if may(policy, command, principal)}
    assert runs == {command.name for command in COMMANDS if policy.shows(command, principal)}
    return runs


def those(condition):
    return {command.name for command in COMMANDS if condition(command)}


def test_a_person_may_run_everything_always():
    policy = Policy(frozenset())
    policy.agents_stopped = True
    assert allowed(policy, PERSON) == those(lambda command: True)


@pytest.mark.parametrize("agent", [AGENT, UNPROVEN, SAME_USER], ids=["token", "no token", "same user"])
def test_no_agent_may_act_while_nothing_is_switched_on(agent):
    closed = {"shell"} if agent.token else PROVEN_ONLY
    expected = those(lambda command: command.access is not Access.ACT and command.toolset not in closed)
    assert allowed(Policy(ALL_TOOLSETS), agent) == expected


@pytest.mark.parametrize("agent", [AGENT, UNPROVEN], ids=["token", "no token"])
def test_the_switches_let_agents_act_in_their_own_toolset_only(agent):
    runs = allowed(Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True), agent)
    for command in COMMANDS:
        if command.toolset in PROVEN_ONLY:
            assert (command.name in runs) == agent.token, command.name
        else:
            assert (command.name in runs) == (command.access is not Access.ACT), command.name


@pytest.mark.parametrize("toolset", sorted(ALL_TOOLSETS))
def test_one_toolset_switches_on_its_own_commands_and_no_others(toolset):
    expected = those(
        lambda command: (command.toolset or "panes") == toolset != "shell" and command.access in AGENT_ACCESS
    )
    assert allowed(Policy(frozenset({toolset})), AGENT) == expected


def test_a_caller_is_held_to_the_toolsets_of_its_token_and_of_the_program():
    held = Principal("agent", "held", toolsets=frozenset({"ops", "panes"}))
    assert allowed(Policy(frozenset({"panes"})), held) == allowed(Policy(frozenset({"panes"})), UNPROVEN)
    assert allowed(Policy(ALL_TOOLSETS), Principal("agent", "none", toolsets=frozenset())) == set()


def test_a_caller_with_less_access_may_do_less():
    reader = Principal("agent", "reader", frozenset({Access.READ}), token=True)
    expected = those(lambda command: command.access is Access.READ and command.toolset != "shell")
    assert allowed(Policy(ALL_TOOLSETS), reader) == expected


def test_stopped_agents_may_nothing():
    policy = Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True)
    policy.agents_stopped = True
    for command in COMMANDS:
        with pytest.raises(NotAllowed, match="stopped all agents"):
            policy.admit(command, AGENT)


def test_a_listing_may_ask_for_fewer_toolsets_and_never_for_more():
    policy = Policy(frozenset({"panes"}))
    assert those(lambda command: policy.shows(command, AGENT, frozenset({"ops"}))) == set()
    assert those(lambda command: policy.shows(command, AGENT, ALL_TOOLSETS)) == allowed(policy, AGENT)


def test_what_only_the_person_may_do_says_so():
    with pytest.raises(NotAllowed, match="approve is for the person only"):
        Policy().admit(REGISTRY.find("approve"), AGENT)


def test_an_unknown_toolset_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"No toolset kitchen\. There are: fs, ide"):
        Policy(frozenset({"kitchen"}))


def test_the_decisions_are_all_the_persons():
    for name in ("approve", "reject", "agents.stop", "agents.allow", "pending", "proposal.show", "settings.set"):
        assert REGISTRY.find(name).access is Access.ACT


def test_every_toolset_in_use_is_one_there_is():
    assert {command.toolset for command in COMMANDS} - {None} <= ALL_TOOLSETS
    assert DEFAULT_TOOLSETS <= ALL_TOOLSETS
