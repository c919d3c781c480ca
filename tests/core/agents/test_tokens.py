"""A token proves one agent, only while it is good, and is kept nowhere that others can read."""

import hmac
import json
import multiprocessing
import os
import stat

import pytest

from cmdr.core import places
from cmdr.core.agents import tokens
from cmdr.core.agents.tokens import BadClientName, BrokenClients, ClientExists, Tokens
from cmdr.core.dispatch.principals import AGENT_ACCESS


@pytest.fixture
def dirs(tmp_path):
    return places.own(str(tmp_path / "run")), places.own(str(tmp_path / "state"))


@pytest.fixture
def known(dirs):
    return Tokens(*dirs)


def default_token(known):
    return places.read(known.path).decode().strip()


def test_the_default_token_proves_the_default_agent(known):
    known.renew()
    principal = known.verify(default_token(known))
    assert principal is not None
    assert principal.id == "agent:default"
    assert principal.token
    assert principal.access == AGENT_ACCESS
    assert not principal.is_person


def test_the_default_token_file_is_private_and_holds_256_bits(known):
    known.renew()
    assert stat.S_IMODE(os.stat(known.path).st_mode) == 0o600
    assert len(default_token(known).removeprefix("cmdr_")) == 43


def test_every_start_makes_another_token(known):
    known.renew()
    first = default_token(known)
    known.renew()
    assert default_token(known) != first
    assert known.verify(first) is None


def test_the_token_goes_with_the_program(known):
    known.renew()
    token = default_token(known)
    known.withdraw()
    known.withdraw()
    assert known.verify(token) is None
    assert not os.path.exists(known.path)


@pytest.mark.parametrize("token", ["", " ", "x", "cmdr_", "é", "\udcff", "a" * 100_000, "None"])
def test_nonsense_proves_nobody(known, token):
    assert known.verify(token) is None
    known.renew()
    assert known.verify(token) is None


def test_a_cut_or_longer_token_proves_nobody(known):
    known.renew()
    token = default_token(known)
    for wrong in (token[:-1], token + "A", token.lower(), token.upper(), " " + token, token + "\n"):
        assert known.verify(wrong) is None


def test_a_named_client_is_known_by_its_name_and_toolsets(known):
    token = known.issue("codex", toolsets=["panes", "ops", "panes"])
    principal = known.verify(token)
    assert principal is not None
    assert principal.id == "agent:codex"
    assert principal.toolsets == {"panes", "ops"}
    assert principal.token


def test_a_client_without_toolsets_has_whatever_is_on(known):
    principal = known.verify(known.issue("claude"))
    assert principal is not None
    assert principal.toolsets is None


def test_an_empty_toolset_list_is_none_at_all(known):
    principal = known.verify(known.issue("claude", toolsets=[]))
    assert principal is not None
    assert principal.toolsets == frozenset()


def test_only_the_digest_is_stored(known, dirs):
    token = known.issue("codex")
    path = os.path.join(dirs[1], tokens.CLIENTS)
    text = places.read(path).decode()
    assert token not in text
    assert token.removeprefix("cmdr_") not in text
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    (client,) = json.loads(text)["clients"]
    assert set(client) == {"name", "sha256", "toolsets", "created", "expires"}


def test_a_token_ends_when_it_expires(dirs):
    now = 1000.0
    known = Tokens(*dirs, clock=lambda: now)
    token = known.issue("guest", seconds=60)
    now = 1059.9
    assert known.verify(token) is not None
    now = 1060.0
    assert known.verify(token) is None
    assert [client.name for client in known.clients()] == ["guest"]


def test_a_running_server_sees_what_another_process_issues_and_revokes(dirs):
    server, shell = Tokens(*dirs), Tokens(*dirs)
    assert server.verify("x") is None
    token = shell.issue("late")
    assert server.verify(token) is not None
    again = shell.issue("late", replace=True)
    assert server.verify(token) is None
    assert server.verify(again) is not None
    assert shell.revoke("late")
    assert server.verify(again) is None


def test_removing_the_list_revokes_everyone(known, dirs):
    token = known.issue("codex")
    assert known.verify(token) is not None
    os.unlink(os.path.join(dirs[1], tokens.CLIENTS))
    assert known.verify(token) is None


def test_a_second_token_under_one_name_needs_saying_so(known):
    first = known.issue("codex")
    with pytest.raises(ClientExists, match="codex"):
        known.issue("codex")
    assert known.verify(first) is not None


def test_revoking_the_unknown_is_told(known):
    assert not known.revoke("nobody")


@pytest.mark.parametrize(
    "name",
    ["", "Codex", "a b", "a/b", "../x", "-x", ".x", "x" * 41, "default", "same-user", "é", "a\n", "a:b", "\x1b[31m"],
)
def test_a_name_that_could_confuse_the_audit_log_is_refused(known, name):
    with pytest.raises(BadClientName):
        known.issue(name)
    assert known.clients() == ()


GOOD = {"name": "a", "sha256": "0" * 64, "toolsets": None, "created": 1, "expires": None}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"clients": 1}',
        '{"clients": [1]}',
        '{"clients": [{}]}',
        json.dumps({"clients": [GOOD | {"sha256": "zz"}]}),
        json.dumps({"clients": [GOOD | {"sha256": None}]}),
        json.dumps({"clients": [GOOD | {"name": "default"}]}),
        json.dumps({"clients": [GOOD | {"name": 3}]}),
        json.dumps({"clients": [GOOD | {"toolsets": "panes"}]}),
        json.dumps({"clients": [GOOD | {"toolsets": [1]}]}),
        json.dumps({"clients": [GOOD | {"expires": "never"}]}),
        json.dumps({"clients": [GOOD | {"created": None}]}),
        "[" * 100_000,
        '{"clients": [' + "x" * (2 << 20),
    ],
)
def test_a_broken_list_is_never_overwritten_and_lets_nobody_in(known, dirs, text):
    token = known.issue("codex")
    path = os.path.join(dirs[1], tokens.CLIENTS)
    places.write(path, text.encode())
    known.renew()
    assert known.verify(token) is None
    assert known.verify(default_token(known)) is not None
    for attempt in (lambda: known.issue("new"), lambda: known.revoke("codex"), known.clients):
        with pytest.raises(BrokenClients, match=r"clients\.json"):
            attempt()
    assert places.read(path, 4 << 20) == text.encode()


def test_a_list_that_others_could_write_lets_nobody_in(known, dirs):
    token = known.issue("codex")
    path = os.path.join(dirs[1], tokens.CLIENTS)
    os.chmod(path, 0o666)
    assert known.verify(token) is None
    with pytest.raises(places.UnsafePlace):
        known.issue("new")


def _issue(dirs, name):
    Tokens(*dirs).issue(name)


def test_programs_that_issue_at_once_lose_no_token(dirs):
    spawn = multiprocessing.get_context("fork")
    names = [f"client{number}" for number in range(8)]
    workers = [spawn.Process(target=_issue, args=(dirs, name)) for name in names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(client.name for client in Tokens(*dirs).clients()) == names


def test_every_known_token_is_compared_in_constant_time(known, monkeypatch):
    known.renew()
    mine = [known.issue(f"client{number}") for number in range(5)]
    compared = []
    genuine = hmac.compare_digest

    def count(left, right):
        compared.append(left)
        return genuine(left, right)

    monkeypatch.setattr(hmac, "compare_digest", count)
    known.verify(mine[0])
    assert len(compared) == 6


def test_no_error_shows_a_token(known):
    token = known.issue("codex")
    with pytest.raises(ClientExists) as refused:
        known.issue("codex")
    assert token not in str(refused.value)
    assert token not in repr(known.clients())
