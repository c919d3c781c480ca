"""A binary file is told by its facts and a link, and the link gives its bytes to nobody else and nothing else."""

import os
import re

import pytest

from cmdr.core.agents.tokens import Tokens

BYTES = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300


@pytest.fixture
def served(start_server):
    started = start_server(CMDR_MCP_TOOLSETS="panes,fs")
    started.headers = {"authorization": f"Bearer {started.token}"}
    (started.tree.left / "picture.png").write_bytes(BYTES)
    return started


def link_of(served):
    answer = served.call("fs_read", path="picture.png")
    assert "image/png" in answer.first
    found = re.search(r"bytes: GET (http://127\.0\.0\.1:\d+)(/raw/[\w-]{22}) with your token", answer)
    assert found, answer
    return found[2]


def fetch(served, path, token):
    return served.exchange("GET", path, {"authorization": f"Bearer {token}"} if token else {})


def test_the_link_gives_the_bytes_as_an_attachment(served):
    reply = fetch(served, link_of(served), served.token)
    assert reply.status == 200
    assert reply.body == BYTES
    assert reply.headers["content-disposition"] == "attachment; filename*=UTF-8''picture.png"
    assert reply.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert reply.headers["content-type"] == "application/octet-stream"


def test_the_link_is_worth_nothing_to_anybody_else(served):
    path = link_of(served)
    other = Tokens(str(served.home / "run" / "cmdr"), str(served.home / "state" / "cmdr")).issue("other")
    assert fetch(served, path, other).status == 404
    assert fetch(served, path, None).status == 404  # the same user without a token: there is no such tool either
    assert fetch(served, "/raw/" + "A" * 22, served.token).status == 404
    assert fetch(served, path, served.token).status == 200


def test_what_stands_there_at_the_time_of_the_download_is_judged_anew(served, tmp_path):
    path = link_of(served)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    picture = served.tree.left / "picture.png"
    picture.unlink()
    picture.symlink_to(secret)
    reply = fetch(served, path, served.token)
    assert (reply.status, b"outside the folders agents may use" in reply.body) == (403, True)
    picture.unlink()
    os.mkfifo(picture)
    assert fetch(served, path, served.token).status == 400


def test_every_download_is_in_the_audit_log(served):
    fetch(served, link_of(served), served.token)
    assert served.close() == 0
    logged = "".join(file.read_text() for file in (served.home / "state" / "cmdr" / "audit").iterdir())
    assert '"fs_read link"' in logged
