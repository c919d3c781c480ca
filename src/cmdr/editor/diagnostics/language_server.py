"""One language server: its process, the files it was shown, and its diagnostics for them."""

import asyncio
import contextlib
import importlib
import logging
import time
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

from cmdr.editor.diagnostics.known_servers import ServerSpec, Start
from cmdr.editor.diagnostics.lsp_messages import (
    diagnostic_from,
    file_path,
    file_uri,
    initialize_params,
    message_reader,
    tsserver_diagnostics,
)
from cmdr.model.texts.diagnostic import Diagnostic

if TYPE_CHECKING:
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient

import os
import shutil
import signal
import tempfile
from collections.abc import Callable

from cmdr.model.launch_spec import LaunchSpec

# The library reports every odd message of a server; on a terminal that would be written over the panes.
logging.getLogger("pygls").addHandler(logging.NullHandler())
logging.getLogger("pygls").propagate = False

HANG_TIMEOUT_S = 60.0
"""Seconds without any answer after which a server is taken for hung; a large project takes long to load."""


class ServerGoneError(Exception):
    """Raised when a language server could not be started, crashed, or stopped answering."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The language server {name} is not running.")
        self.name = name


_EXIT_TIMEOUT_S = 1.0
"""How long a server has to leave after it was asked to."""


class ServerProcess:
    """A running server, its two pipes, and a folder of its own for what it wants to keep."""

    def __init__(self, process: asyncio.subprocess.Process, home: str) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a server needs both pipes")
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._process = process
        self._home = home

    @classmethod
    async def start(cls, launch: Callable[[str], LaunchSpec], folder: bytes) -> "ServerProcess":
        """Start what is launched for the server's own folder; raises `OSError` when it cannot be run."""
        home = tempfile.mkdtemp(prefix="cmdr-server-")
        try:
            made = launch(home)
            process = await asyncio.create_subprocess_exec(
                *made.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,  # a pipe that nobody reads would stop a talkative server
                cwd=folder,
                env=made.environment,
                start_new_session=True,
            )
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        return cls(process, home)

    @property
    def pid(self) -> int:
        """The process id, which is also its group."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.returncode is None

    async def ended(self) -> None:
        """Wait until it has ended."""
        await self._process.wait()

    async def end(self, *, polite: bool = False) -> None:
        """End it and its children; `polite` gives it a moment to leave by itself. Safe to call again."""
        try:
            if polite:
                await self._wait_a_moment()
            if self.running:
                # A sandbox that is asked to end ends the family it holds; a killed one could not.
                with contextlib.suppress(ProcessLookupError):
                    self._process.terminate()
                await self._wait_a_moment()
        finally:
            # The group outlives its leader: children of a server that crashed end here too.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.stdin.close()
            await self._process.wait()
            await asyncio.to_thread(shutil.rmtree, self._home, ignore_errors=True)

    async def _wait_a_moment(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_TIMEOUT_S):
                await self._process.wait()


@dataclass(slots=True)
class _Shown:
    """A file that the server was shown."""

    version: int
    text: str
    found: tuple[Diagnostic, ...] | None = None
    """What it published about this version, None while it has not."""


class LanguageServer:
    """A started server for one project."""

    def __init__(self, spec: ServerSpec, client: "LanguageClient", process: ServerProcess, patience: float) -> None:
        self.spec = spec
        self._patience = patience
        self._client = client
        self._process = process
        self._stop_reading = Event()
        self._greeted = False
        self._pulls = False
        self._shown: dict[bytes, _Shown] = {}
        self._published = asyncio.Condition()
        self._asked_at: float | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    @classmethod
    async def start(
        cls, spec: ServerSpec, root: bytes, start: Start, *, patience: float = HANG_TIMEOUT_S
    ) -> "LanguageServer":
        """Start a server and greet it; raises `ServerGoneError`, and then nothing is left running."""
        # In a thread: the library takes so long to load that everybody else would wait for it.
        await asyncio.to_thread(importlib.import_module, "pygls.lsp.client")
        from pygls.lsp.client import LanguageClient

        try:
            process = await ServerProcess.start(lambda home: start(spec, home), root)
        except OSError as error:
            raise ServerGoneError(spec.name) from error
        server = cls(spec, LanguageClient("cmdr", "1", converter_factory=message_reader), process, patience)
        try:
            async with asyncio.timeout(patience):
                await server._greet(root)
        except Exception as error:  # whatever a server answers to the greeting, it is of no use then
            await server.stop()
            raise ServerGoneError(spec.name) from error
        except BaseException:
            await server.stop()
            raise
        return server

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it can be asked."""
        hung = self._asked_at is not None and time.monotonic() - self._asked_at > self._patience
        return self._process.running and not hung

    async def diagnose(self, path: bytes, text: str, language_id: str) -> tuple[Diagnostic, ...]:
        """What is wrong with a file whose text stands like this; wait for it as long as you like, then cancel."""
        if self._asked_at is None:
            self._asked_at = time.monotonic()
        self._show(path, text, language_id)
        if self.spec.asks:
            found = await self._asked_outright(path)
        else:
            found = await (self._pull(path) if self._pulls else self._pushed(path))
        self._asked_at = None
        return found

    def forget(self, path: bytes) -> None:
        """The file is of no more interest."""
        from lsprotocol import types

        if self._shown.pop(path, None) is not None and self._process.running:
            document = types.TextDocumentIdentifier(file_uri(path))
            self._client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def stop(self) -> None:
        """End the server: politely when it answers, surely in any case."""
        polite = False
        try:
            if self._greeted and self.running:
                with contextlib.suppress(Exception):
                    async with asyncio.timeout(0.5):
                        await self._answered(self._client.shutdown_async(None))
                        self._client.exit(None)
                        polite = True
        finally:
            self._stop_reading.set()
            try:
                await self._process.end(polite=polite)
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _greet(self, root: bytes) -> None:
        from lsprotocol import types
        from pygls.io_ import run_async

        # A plain function, since the library writes attributes on it.
        async def published(params: types.PublishDiagnosticsParams) -> None:
            await self._on_published(params)

        client = self._client
        client.protocol.set_writer(self._process.stdin)
        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        client.feature(types.WORKSPACE_CONFIGURATION)(_no_configuration)
        for asked in (
            types.CLIENT_REGISTER_CAPABILITY,
            types.CLIENT_UNREGISTER_CAPABILITY,
            types.WINDOW_WORK_DONE_PROGRESS_CREATE,
        ):
            client.feature(asked)(_nothing)
        self._keep(run_async(self._stop_reading, self._process.stdout, client.protocol, logging.getLogger("pygls")))
        params = initialize_params(root, self.spec.settings)
        result = await self._answered(client.initialize_async(params))
        self._pulls = result.capabilities.diagnostic_provider is not None
        client.initialized(types.InitializedParams())
        self._greeted = True

    def _show(self, path: bytes, text: str, language_id: str) -> None:
        """Tell the server the text, unless it knows it already."""
        from lsprotocol import types

        shown = self._shown.get(path)
        if shown is not None and shown.text == text:
            return
        version = shown.version + 1 if shown else 1
        self._shown[path] = _Shown(version, text)
        uri = file_uri(path)
        if shown is None:
            item = types.TextDocumentItem(uri, language_id, version, text)
            self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        else:
            document = types.VersionedTextDocumentIdentifier(version, uri)
            change = types.TextDocumentContentChangeWholeDocument(text)
            self._client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def _pull(self, path: bytes) -> tuple[Diagnostic, ...]:
        from lsprotocol import types

        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(file_uri(path)))
        report = await self._answered(self._client.text_document_diagnostic_async(params))
        items = getattr(report, "items", ())
        return tuple(diagnostic_from(item, self.spec.name) for item in items)

    async def _asked_outright(self, path: bytes) -> tuple[Diagnostic, ...]:
        from lsprotocol import types

        found: list[Diagnostic] = []
        for question in self.spec.asks:
            params = types.ExecuteCommandParams("typescript.tsserverRequest", [question, {"file": file_uri(path)}])
            answer = await self._answered(self._client.workspace_execute_command_async(params))
            found += tsserver_diagnostics(answer)
        return tuple(found)

    async def _pushed(self, path: bytes) -> tuple[Diagnostic, ...]:
        shown = self._shown[path]

        async def arrived() -> None:
            async with self._published:
                await self._published.wait_for(lambda: shown.found is not None)

        await self._answered(arrived())
        return shown.found or ()

    async def _on_published(self, params: "types.PublishDiagnosticsParams") -> None:
        shown = self._shown.get(file_path(params.uri) or b"")
        # What is said about an older version is about another text.
        if shown is None or (params.version is not None and params.version < shown.version):
            return
        async with self._published:
            shown.found = tuple(diagnostic_from(item, self.spec.name) for item in params.diagnostics)
            self._published.notify_all()

    async def _answered(self, asked: Any) -> Any:
        """The answer, or `ServerGoneError` as soon as the server ends without one."""
        answer = asyncio.ensure_future(asked)
        end = asyncio.ensure_future(self._process.ended())
        try:
            await asyncio.wait({answer, end}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise ServerGoneError(self.spec.name)
            if answer.exception() is not None:
                raise ServerGoneError(self.spec.name) from answer.exception()
            return answer.result()
        finally:
            for task in (answer, end):
                task.cancel()
            await asyncio.gather(answer, end, return_exceptions=True)

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)


def _no_configuration(params: "types.ConfigurationParams") -> list[None]:
    return [None] * len(params.items)


def _nothing(params: Any) -> None:
    return None
