"""Diagnostics come from real servers in time, never as an error, and no server outlives the service."""

import asyncio
import os
import sys
import time

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.editor.diagnostics import service as service_module
from cmdr.editor.diagnostics.known_servers import (
    KNOWN_SERVERS,
    Offer,
    ServerSpec,
    installed,
    project_root,
    repository_root,
)
from cmdr.editor.diagnostics.language_server import LanguageServer, ServerGoneError
from cmdr.editor.diagnostics.lsp_messages import file_path, file_uri
from cmdr.editor.diagnostics.service import Asker, CheckedText, CheckResult, DiagnosticsService
from cmdr.model.launch_spec import LaunchSpec

RUFF = [found.spec] if (found := installed(KNOWN_SERVERS[0])) else []
ANYBODY = Asker("agent:tester", b"/")
needs_ruff = pytest.mark.skipif(not RUFF, reason="ruff is not installed")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Built-in checks start a process, which a busy machine may let wait."""
    monkeypatch.setattr(service_module, "SYNTAX_DEADLINE_S", 60.0)


def script(tmp_path, name, source):
    """A language server made for a test, as a program of its own."""
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    return ServerSpec(name, (sys.executable, str(path)), frozenset({"python"}))


def plainly(spec, home):
    """Start a server without walls: its own words, and a small environment."""
    return LaunchSpec(tuple(os.fsencode(word) for word in spec.command), {"PATH": os.environ["PATH"], "HOME": home})


def offering(*specs):
    async def offer(path, language_id, asker):
        return Offer(specs, project_root(path), asker.within, plainly)

    return offer


def children():
    return {child.pid for child in psutil.Process().children(recursive=True)}


class Files(dict):
    async def read(self, path):
        text = self.get(path)
        return None if text is None else CheckedText(text, "python")


async def until(check, deadline=60.0):
    """Ask again until the answer is there: a server may need several turns to start."""
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        answer = await check()
        if answer:
            return answer
    raise AssertionError("no answer in time")


@needs_ruff
def test_a_real_ruff_server_finds_what_changed_between_two_questions(tmp_path):
    path = os.fsencode(tmp_path / "é 😀.py")
    files = Files({path: "x = 1\n"})

    async def story():
        service = DiagnosticsService(files.read, offering(*RUFF), deadline=15)
        try:
            assert await service.of(path, ANYBODY) == CheckResult()
            files[path] = "s = '😀'; import os\n"
            found = (await service.of_all({path: ANYBODY}))[path].found
            assert {each.source for each in found} == {"Ruff"}
            unused = next(each for each in found if each.code == "F401")
            assert (unused.range.start.line, unused.range.start.character) == (0, 17)
            files[path] = "x = 1\n"
            assert (await service.of_all({path: ANYBODY}))[path].found == ()
        finally:
            await service.close()

    before = children()
    asyncio.run(story())
    assert children() <= before


def test_an_answer_comes_at_its_deadline_even_while_the_server_still_starts(tmp_path):
    path = os.fsencode(tmp_path / "a.py")
    files = Files({path: "import os\n"})
    never_ready = script(tmp_path, "never-ready", "import sys\nwhile sys.stdin.buffer.read(1):\n    pass\n")

    async def story():
        service = DiagnosticsService(files.read, offering(never_ready), deadline=0.05)
        try:
            async with asyncio.timeout(60):  # the server alone would never let it come
                checked = await service.of(path, ANYBODY)
                assert checked.found == ()
                assert "never-ready has not finished" in checked.unknown[0]  # nothing found is not nothing wrong
        finally:
            await service.close()

    asyncio.run(story())


def test_the_built_in_check_is_waited_for_however_short_the_deadline_of_servers(tmp_path):
    """The first answer about a broken file was empty: loading what speaks to servers took all of the time."""
    path = os.fsencode(tmp_path / "a.py")
    never_ready = script(tmp_path, "never-ready", "import sys\nwhile sys.stdin.buffer.read(1):\n    pass\n")

    async def story():
        service = DiagnosticsService(Files({path: "x = (\n"}).read, offering(never_ready), deadline=0)
        try:
            checked = await service.of(path, ANYBODY)
            assert [each.source for each in checked.found] == ["python"]
            assert len(checked.unknown) == 1
        finally:
            await service.close()

    asyncio.run(story())


def test_a_syntax_check_that_takes_too_long_is_told_as_unknown(tmp_path, monkeypatch):
    path = os.fsencode(tmp_path / "a.json")
    monkeypatch.setattr(service_module, "SYNTAX_DEADLINE_S", 0)

    async def story():
        service = DiagnosticsService(Files({path: "{"}).read, offering(), deadline=30)
        try:
            return await service.of(path, ANYBODY)
        finally:
            await service.close()

    assert "took too long" in asyncio.run(story()).unknown[0]


def test_a_file_that_was_checked_to_the_end_has_nothing_unknown(tmp_path):
    path = os.fsencode(tmp_path / "a.json")

    async def story():
        service = DiagnosticsService(Files({path: "{"}).read, offering(), deadline=0)
        try:
            checked = await service.of(path, ANYBODY)
            assert checked.found
            assert not checked.unknown
        finally:
            await service.close()

    asyncio.run(story())


@needs_ruff
def test_a_killed_server_is_survived_and_its_errors_never_reach_the_caller(tmp_path):
    path = os.fsencode(tmp_path / "a.py")
    files = Files({path: "x = (\n"})

    async def story():
        service = DiagnosticsService(files.read, offering(*RUFF), deadline=15)
        try:
            assert (await service.of(path, ANYBODY)).found
            victim = next(child for child in psutil.Process().children(recursive=True) if "ruff" in child.name())
            victim.kill()
            assert [each.severity for each in (await service.of(path, ANYBODY)).found] == ["Error"]
        finally:
            await service.close()

    asyncio.run(story())


def test_an_unreadable_file_has_no_diagnostics(tmp_path):
    async def story():
        service = DiagnosticsService(Files().read, offering())
        path = b"/nowhere/at all.py"
        unknown = CheckResult(unknown=("Not known: the file is not there, or is no text that can be checked.",))
        assert await service.of(path, ANYBODY) == unknown
        assert service.watched == [path]
        assert await service.of_all({path: ANYBODY}) == {path: unknown}
        assert await service.of_all({}) == {}  # not theirs to know of
        service.forget(path)
        assert await service.of_all({path: ANYBODY}) == {}
        await service.close()

    asyncio.run(story())


CRASH = "import sys; sys.stdin.buffer.read(10); sys.exit(3)"
HANG = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)"
NOISE = r"""
import sys
while sys.stdin.buffer.readline():
    sys.stdout.write("Content-Length: 5\r\n\r\n{{{{{")
    sys.stdout.flush()
"""
BROOD = """
import subprocess, sys, time
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
time.sleep(600)
"""


@pytest.mark.parametrize("source", [CRASH, HANG, NOISE, BROOD], ids=["crash", "hang", "noise", "brood"])
def test_a_bad_server_costs_only_its_own_answers_and_leaves_no_process(tmp_path, source):
    path = os.fsencode(tmp_path / "a.py")
    files = Files({path: "x = (\n"})
    spec = script(tmp_path, "bad", source)

    async def story():
        service = DiagnosticsService(files.read, offering(spec), deadline=0.8)
        try:
            for _ in range(2):
                async with asyncio.timeout(60):  # the bad server alone would never let it come
                    checked = await service.of(path, ANYBODY)
                assert [each.source for each in checked.found] == ["python"]
                assert checked.unknown  # what the bad one would have said
        finally:
            await service.close()

    before = children()
    asyncio.run(story())
    assert children() <= before


def test_a_server_that_cannot_be_started_is_named(tmp_path):
    missing = ServerSpec("ghost", ("/nowhere/ghost",), frozenset({"python"}))
    with pytest.raises(ServerGoneError, match="ghost is not running"):
        asyncio.run(LanguageServer.start(missing, os.fsencode(tmp_path), plainly))


def test_a_server_that_never_greets_is_ended_when_patience_ends(tmp_path):
    before = children()
    with pytest.raises(ServerGoneError):
        hang = script(tmp_path, "hang", HANG)
        asyncio.run(LanguageServer.start(hang, os.fsencode(tmp_path), plainly, patience=0.3))
    assert children() <= before


# A server that publishes by itself, as pyright and gopls do: a version behind first, then the right one.
PUSH = r"""
import json, sys
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
def publish(uri, version, text):
    place = {"line": 0, "character": 0}
    found = [{"range": {"start": place, "end": place}, "message": text, "severity": 2, "code": 7}]
    params = {"uri": uri, "version": version, "diagnostics": found}
    send({"method": "textDocument/publishDiagnostics", "params": params})
while True:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    if not length:
        break
    message = json.loads(sys.stdin.buffer.read(length))
    method, params = message.get("method"), message.get("params")
    if method == "initialize":
        send({"id": message["id"], "result": {"capabilities": {"textDocumentSync": 1}}})
        send({"id": 900, "method": "workspace/configuration", "params": {"items": [{"section": "x"}]}})
    elif method == "textDocument/didOpen":
        document = params["textDocument"]
        publish(document["uri"], document["version"], document["text"])
    elif method == "textDocument/didChange":
        document = params["textDocument"]
        publish(document["uri"], document["version"] - 1, "stale")
        publish(document["uri"], document["version"], params["contentChanges"][0]["text"])
    elif method == "shutdown":
        send({"id": message["id"], "result": None})
    elif method == "exit":
        break
"""


def test_a_server_that_publishes_by_itself_is_believed_only_about_the_text_as_it_stands(tmp_path):
    path = os.fsencode(tmp_path / "a.py")

    async def story():
        server = await LanguageServer.start(script(tmp_path, "push", PUSH), os.fsencode(tmp_path), plainly)
        try:
            (first,) = await server.diagnose(path, "one", "python")
            (second,) = await server.diagnose(path, "two", "python")
            (again,) = await server.diagnose(path, "two", "python")
            server.forget(path)
            return first, second, again
        finally:
            await server.stop()

    first, second, again = asyncio.run(story())
    assert [each.message for each in (first, second, again)] == ["one", "two", "two"]
    assert (first.severity, first.code, first.source) == ("Warning", "7", "push")


SILENT = PUSH.replace("while True:\n    length", "publish = lambda *_: None\nwhile True:\n    length")


def test_a_server_that_stops_answering_is_ended_when_patience_ends(tmp_path):
    path = os.fsencode(tmp_path / "a.py")
    files = Files({path: "x = 1\n"})

    async def story():
        service = DiagnosticsService(
            files.read, offering(script(tmp_path, "silent", SILENT)), deadline=0.5, patience=1.0
        )
        before = children()

        async def started():
            await service.of(path, ANYBODY)
            return children() - before

        async def ended():
            await service.of(path, ANYBODY)
            return not children() - before

        try:
            await until(started)
            await until(ended)
        finally:
            await service.close()

    asyncio.run(story())


@given(st.binary(max_size=40).map(lambda name: b"/" + name.replace(b"\0", b"")))
def test_addresses_give_any_path_back(path):
    assert file_path(file_uri(path)) == path


def test_addresses_of_other_things_name_no_file():
    assert file_path("https://example.com/a") is None
    assert file_path("file://server/share") is None
    assert file_path("file://localhost/a%20b") == b"/a b"


def test_servers_end_with_whoever_used_them_last(tmp_path):
    path = os.fsencode(tmp_path / "a.py")
    other = Asker("agent:other", b"/")

    async def story():
        service = DiagnosticsService(Files({path: "one"}).read, offering(script(tmp_path, "push", PUSH)), deadline=30)
        before = children()
        try:
            assert (await service.of(path, ANYBODY)).found
            assert (await service.of(path, other)).found
            service.leave(other.name)
            service.leave("agent:nobody")
            assert children() - before
            service.leave(ANYBODY.name)
            await asyncio.gather(*service._endings)
            assert not children() - before
            assert (await service.of(path, other)).found  # and start anew when they are needed
            await service.end_servers()
            assert not children() - before
        finally:
            await service.close()

    asyncio.run(story())


def test_a_server_that_nobody_asks_any_more_ends(tmp_path, monkeypatch):
    path = os.fsencode(tmp_path / "a.py")
    monkeypatch.setattr(service_module, "IDLE_TIMEOUT_S", 0)

    async def story():
        before = children()
        service = DiagnosticsService(Files({path: "one"}).read, offering(script(tmp_path, "push", PUSH)), deadline=0)

        async def ended():
            return not children() - before and not service._endings

        try:
            await service.of(path, ANYBODY)
            await until(ended)
        finally:
            await service.close()

    asyncio.run(story())


def test_the_project_is_the_nearest_folder_that_says_so(tmp_path):
    inner = tmp_path / "repo" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    assert project_root(os.fsencode(inner / "a.py")) == os.fsencode(tmp_path / "repo")
    (inner / "package.json").touch()
    assert project_root(os.fsencode(inner / "a.py")) == os.fsencode(inner)
    assert repository_root(os.fsencode(inner / "a.py")) == os.fsencode(tmp_path / "repo")  # what one trusts as a whole
