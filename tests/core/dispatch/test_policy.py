"""Who may run what: the switches, the tokens, the kill switch."""

import itertools

import pytest

from cmdr import commands
from cmdr.core.agents.grants import Grant
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, SAME_USER, Access, Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS, DEFAULT_TOOLSETS, REGISTRY
from cmdr.core.environment import BadSetting, Environment
from cmdr.core.errors import NotAllowed, UnknownCommand
from cmdr.model.root_spec import RootSpec

commands.register()
AGENT = Principal("agent", "a", token=True)
READER = Principal("agent", "r", token=True, read_only=True)
HELD = Principal("agent", "h", token=True, toolsets=frozenset({"panes"}))


def admitted(policy, command, principal):
    try:
        policy.admit(command, principal)
    except (NotAllowed, UnknownCommand):
        return False
    return True


@pytest.mark.parametrize(("write", "shell"), itertools.product((False, True), repeat=2))
@pytest.mark.parametrize("toolsets", [DEFAULT_TOOLSETS, ALL_TOOLSETS, frozenset({"fs"}), frozenset({"shell"})])
def test_agents_act_only_behind_a_switch_and_with_a_token(write, shell, toolsets):
    policy = Policy(toolsets, allow_write=write, allow_shell=shell)
    for command in REGISTRY:
        for principal in (AGENT, SAME_USER, READER, HELD):
            if not admitted(policy, command, principal):
                continue
            assert command.toolset not in ("fs", "shell") or principal.token
            if command.access is Access.ACT:
                assert not principal.read_only
                assert (command.toolset == "fs" and write) or (command.toolset == "shell" and shell)
            if principal.read_only:
                assert command.access in (Access.READ, Access.VIEW)
                assert not command.lasting
            if principal is HELD:
                assert command.toolset in (None, "panes")


def test_what_is_shown_is_what_is_admitted():
    policy = Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True)
    for command in REGISTRY:
        for principal in (AGENT, SAME_USER, READER, HELD, PERSON):
            assert policy.shows(command, principal) == admitted(policy, command, principal)


@pytest.mark.parametrize(
    ("name", "policy", "principal", "why"),
    [
        ("fs_read", Policy(ALL_TOOLSETS), SAME_USER, "fs_read needs a token: cmdr token --client NAME"),
        (
            "fs_read",
            Policy(DEFAULT_TOOLSETS - {"fs"}),
            AGENT,
            "fs_read is switched off: the person adds fs to CMDR_MCP_TOOLSETS",
        ),
        (
            "fs_write",
            Policy(DEFAULT_TOOLSETS - {"fs"}),
            AGENT,
            "fs_write is switched off: the person starts cmdr with CMDR_MCP_ALLOW_WRITE=1",
        ),
        ("copy", Policy(), HELD, "copy is not among your token's toolsets, which lack ops: "),
        ("copy", Policy(), READER, "copy changes things, and your token is read-only"),
        (
            "fs_write",
            Policy(ALL_TOOLSETS),
            AGENT,
            "fs_write is switched off: the person starts cmdr with CMDR_MCP_ALLOW",
        ),
        (
            "shell_run",
            Policy(ALL_TOOLSETS),
            AGENT,
            "shell_run is switched off: the person starts cmdr with CMDR_MCP_ALL",
        ),
    ],
)
def test_a_refusal_says_what_is_missing(name, policy, principal, why):
    with pytest.raises(UnknownCommand) as refused:
        policy.admit(REGISTRY.find(name), principal)
    assert str(refused.value).startswith(why)
    assert len(str(refused.value)) <= 200


def test_nothing_that_decides_or_grants_is_ever_an_agents():
    policy = Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True)
    for name in ("approve", "reject", "grants.give", "grants.revoke", "agents.allow", "settings.set", "job.answer"):
        assert not admitted(policy, REGISTRY.find(name), AGENT)


def test_the_kill_switch_stops_agents_and_not_the_person():
    policy = Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True)
    policy.agents_stopped = True
    assert not any(admitted(policy, command, AGENT) for command in REGISTRY)
    assert all(admitted(policy, command, PERSON) for command in REGISTRY)


def test_writing_is_its_own_switch():
    write, read = REGISTRY.find("fs_write"), REGISTRY.find("fs_read")
    alone = Policy(DEFAULT_TOOLSETS - {"fs"}, allow_write=True)
    assert alone.shows(write, AGENT)
    assert alone.shows(read, AGENT)
    assert Policy().shows(read, AGENT)
    assert not Policy(ALL_TOOLSETS).shows(write, AGENT)


def test_the_shell_is_its_own_switch():
    assert "shell" in Policy(DEFAULT_TOOLSETS, allow_shell=True).toolsets
    assert "shell" not in Policy(ALL_TOOLSETS).toolsets


def test_roots_come_from_the_environment():
    read = Environment.read({"CMDR_ROOTS": "/srv/a:ro:/srv/b", "CMDR_MCP_ALLOW_WRITE": "true"})
    assert read.roots == (RootSpec(b"/srv/a", read_only=True), RootSpec(b"/srv/b"))
    assert read.allow_write
    with pytest.raises(BadSetting):
        Environment.read({"CMDR_MCP_ALLOW_SHELL": "maybe"})


def test_a_toolset_that_does_not_exist_cannot_be_switched_on():
    with pytest.raises(ValueError, match=r"No toolset everything\. There are: "):
        Policy(frozenset({"everything"}))


def test_the_person_is_shown_everything():
    policy = Policy(frozenset({"panes"}))
    assert all(policy.shows(command, PERSON) for command in REGISTRY)


def test_leave_to_change_files_can_be_withdrawn_from_one_client():
    policy = Policy(ALL_TOOLSETS, allow_write=True)
    assert policy.allow_write
    command = next(command for command in REGISTRY if command.toolset == "fs" and command.access is Access.ACT)
    policy.admit(command, AGENT)
    policy.grants.revoke(AGENT.name, Grant.WRITE)
    with pytest.raises(NotAllowed, match="withdrawn your leave"):
        policy.admit(command, AGENT)
    policy.admit(command, Principal("agent", "another", token=True))


@pytest.mark.parametrize("name", ["quit", "bookmark.add", "bookmark.remove", "file.copyPath"])
def test_a_token_for_looking_leaves_nothing_behind_and_ends_nothing(name):
    """It could end cmdr and write bookmarks, since both only change what is shown."""
    command = REGISTRY.find(name)
    assert admitted(Policy(), command, AGENT)
    with pytest.raises(UnknownCommand, match="your token is read-only"):
        Policy().admit(command, READER)
