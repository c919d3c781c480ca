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


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_person_may_run_everything_always(command):
    policy = Policy(frozenset())
    policy.agents_stopped = True
    assert policy.shows(command, PERSON)
    assert may(policy, command, PERSON)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
@pytest.mark.parametrize("agent", [AGENT, UNPROVEN, SAME_USER], ids=["token", "no token", "same user"])
def test_no_agent_may_act_while_nothing_is_switched_on(command, agent):
    policy = Policy(ALL_TOOLSETS)
    proven = command.toolset not in PROVEN_ONLY or (agent.token and command.toolset != "shell")
    expected = command.access is not Access.ACT and proven
    assert may(policy, command, agent) == expected
    assert policy.shows(command, agent) == expected


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
@pytest.mark.parametrize("agent", [AGENT, UNPROVEN], ids=["token", "no token"])
def test_the_switches_let_agents_act_in_their_own_toolset_only(command, agent):
    policy = Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True)
    if command.access is Access.ACT and command.toolset not in PROVEN_ONLY:
        assert not may(policy, command, agent)
        assert not policy.shows(command, agent)
    if command.toolset in PROVEN_ONLY:
        assert policy.shows(command, agent) == agent.token


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
@pytest.mark.parametrize("toolset", sorted(ALL_TOOLSETS))
def test_one_toolset_switches_on_its_own_commands_and_no_others(command, toolset):
    policy = Policy(frozenset({toolset}))
    expected = (command.toolset or "panes") == toolset != "shell" and command.access in AGENT_ACCESS
    assert may(policy, command, AGENT) == expected
    assert policy.shows(command, AGENT) == expected


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_caller_is_held_to_the_toolsets_of_its_token_and_of_the_program(command):
    policy = Policy(frozenset({"panes"}))
    held = Principal("agent", "held", toolsets=frozenset({"ops", "panes"}))
    assert not may(policy, command, held) or (command.toolset or "panes") == "panes"
    assert not may(policy, command, Principal("agent", "none", toolsets=frozenset()))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_caller_with_less_access_may_do_less(command):
    reader = Principal("agent", "reader", frozenset({Access.READ}), token=True)
    expected = command.access is Access.READ and command.toolset != "shell"
    assert may(Policy(ALL_TOOLSETS), command, reader) == expected


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_stopped_agents_may_nothing(command):
    policy = Policy(ALL_TOOLSETS)
    policy.agents_stopped = True
    with pytest.raises(NotAllowed, match="stopped all agents"):
        policy.admit(command, AGENT)


def test_a_listing_may_ask_for_fewer_toolsets_and_never_for_more():
    policy = Policy(frozenset({"panes"}))
    narrow = {c.name for c in COMMANDS if policy.shows(c, AGENT, frozenset({"ops"}))}
    wide = {c.name for c in COMMANDS if policy.shows(c, AGENT, ALL_TOOLSETS)}
    assert narrow == set()
    assert wide == {c.name for c in COMMANDS if policy.shows(c, AGENT)}


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
