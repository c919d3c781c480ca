"""One connection to a running Neovim over msgpack-RPC, in a thread of its own, with a timeout for every request.

pynvim runs its own event loop and has no deadlines, so it lives in a daemon thread. Each request becomes a greenlet
there and a future here: while one waits for a Neovim that waits for a key, all others go on.
"""

import asyncio
import contextlib
import functools
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cmdr.model.install_hint import install_command

if TYPE_CHECKING:
    from pynvim import Nvim  # type: ignore[import-untyped]
    from pynvim.msgpack_rpc import Session  # type: ignore[import-untyped]


ANSWER_TIMEOUT_S = 2.0
"""Seconds for one answer."""


QUIET_MS = 1500
"""So long without a key before anything of an agent takes the front: who pauses less is still typing."""
_LUA_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lua")
OnEvent = Callable[[list[Any]], None]


class NeovimError(Exception):
    """Anything that went wrong with a running Neovim."""


class NeovimMissingError(NeovimError):
    """Raised when the library that speaks to Neovim is not installed."""

    def __init__(self) -> None:
        super().__init__(f"Working in Neovim needs pynvim: {install_command('pynvim')}")


class NeovimUnreachableError(NeovimError):
    """Raised when no Neovim answers at an address."""

    def __init__(self, address: str) -> None:
        super().__init__(f"No Neovim answers at {address}; start one with: nvim --listen {address}")
        self.address = address


class NeovimBusyError(NeovimError):
    """Raised when Neovim waits for a key and does nothing else until it gets one."""

    def __init__(self) -> None:
        super().__init__("Neovim is waiting for a key; press one there, then try again.")


class NeovimSlowError(NeovimError):
    """Raised when Neovim did not answer in time though it waits for nothing."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Neovim did not answer within {seconds:g} s; it may be busy with something else.")


class NeovimGoneError(NeovimError):
    """Raised when Neovim has ended."""

    def __init__(self) -> None:
        super().__init__("Neovim has ended.")


class NeovimRefusedError(NeovimError):
    """Raised when Neovim refused a request; carries its own words."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Neovim refused: {reason}")
        self.reason = reason


class NeovimConnection:
    """A connection; `await connect(…)` makes one."""

    def __init__(self, address: str, loop: asyncio.AbstractEventLoop) -> None:
        self.address = address
        self.gone = asyncio.Event()
        """Set when Neovim has ended or the connection was closed."""
        self.quiet_ms = QUIET_MS
        """How long the person must have typed nothing before something of an agent takes the front."""
        self._loop = loop
        self._session: Session | None = None
        self._nvim: Nvim | None = None
        self._handlers: dict[str, OnEvent] = {}
        self._thread = threading.Thread(target=self._live, name="cmdr-neovim", daemon=True)
        self._ready: asyncio.Future[None] = loop.create_future()
        self._waiting: set[asyncio.Future[Any]] = set()

    @property
    def channel(self) -> int:
        """The number under which Neovim knows this connection."""
        return 0 if self._nvim is None else int(self._nvim.channel_id)

    def on(self, event: str, call: OnEvent) -> None:
        """Call this, in the event loop, with the arguments of each notification of that name."""
        self._handlers[event] = call

    async def call(self, method: str, *args: Any, deadline: float = ANSWER_TIMEOUT_S) -> Any:
        """Ask Neovim and wait for its answer; raises `NeovimBusyError` at once when it waits for a key."""
        await self._check_free(deadline)
        try:
            return await self._request(method, args, deadline)
        except NeovimSlowError:
            await self._check_free(0.5)  # it may have begun to wait for a key meanwhile
            raise

    async def _check_free(self, deadline: float) -> None:
        # Neovim answers this one question also while it waits for a key.
        if (await self._request("nvim_get_mode", (), deadline)).get("blocking"):
            raise NeovimBusyError

    async def lua(self, code: str, *args: Any, deadline: float = ANSWER_TIMEOUT_S) -> Any:
        """Run Lua and wait for what it returns."""
        return await self.call("nvim_exec_lua", code, list(args), deadline=deadline)

    def lua_later(self, code: str, *args: Any) -> None:
        """Run Lua as soon as Neovim can, without waiting: also after the key that it waits for now."""
        self._in_thread(lambda nvim: nvim.request("nvim_exec_lua", code, list(args), async_=True))

    async def close(self) -> None:
        """Leave; Neovim goes on."""
        if self._session is not None and not self.gone.is_set():
            with contextlib.suppress(RuntimeError):
                self._session.threadsafe_call(_hang_up, self._session)
        await asyncio.to_thread(self._thread.join, ANSWER_TIMEOUT_S)
        self._end()

    async def _request(self, method: str, args: tuple[Any, ...], deadline: float) -> Any:
        if self.gone.is_set():
            raise NeovimGoneError
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._waiting.add(answer)

        def ask(nvim: "Nvim") -> None:
            from pynvim import NvimError

            try:
                value = nvim.request(method, *args)
            except NvimError as error:
                reason = str(error)
                self._tell(lambda: _fail(answer, NeovimRefusedError(reason)))
            except Exception:
                self._tell(lambda: _fail(answer, NeovimGoneError()))
            else:
                self._tell(lambda: None if answer.done() else answer.set_result(value))

        self._in_thread(ask)
        try:
            async with asyncio.timeout(deadline):
                return await answer
        except TimeoutError:
            raise NeovimSlowError(deadline) from None
        finally:
            self._waiting.discard(answer)

    def _in_thread(self, work: Callable[["Nvim"], Any]) -> None:
        nvim = self._nvim
        if nvim is not None and not self.gone.is_set():
            with contextlib.suppress(RuntimeError):  # its loop closed a moment ago
                nvim.async_call(work, nvim)

    def _live(self) -> None:
        """The thread: connect, then hand over notifications until Neovim or this connection ends."""
        from pynvim import Nvim

        try:
            self._session = _open_session(self.address)
            self._nvim = Nvim.from_session(self._session).with_decode(True)
            self._tell(lambda: None if self._ready.done() else self._ready.set_result(None))
            self._nvim.run_loop(None, self._notified, err_cb=lambda _: None)
        except Exception:  # the end of Neovim arrives as one of several errors, and so does anything that is none
            self._tell(lambda: _fail(self._ready, NeovimUnreachableError(self.address)))
        finally:
            if self._session is not None:
                with contextlib.suppress(Exception):
                    self._session.close()
            self._tell(self._end)

    def _notified(self, name: str, args: list[Any]) -> None:
        self._tell(lambda: self._handle(name, args))

    def _handle(self, name: str, args: list[Any]) -> None:
        handler = self._handlers.get(name)
        if handler is not None:
            handler(args)

    def _tell(self, call: Callable[[], object]) -> None:
        """From the thread to the event loop, unless that is closed already."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call)

    def _end(self) -> None:
        self.gone.set()
        for answer in list(self._waiting):
            _fail(answer, NeovimGoneError())


async def connect(address: str, deadline: float = 5.0) -> NeovimConnection:
    """Connect to the Neovim at a socket path or `host:port`."""
    try:
        # Here and not in the thread: pynvim takes the thread that imports it for the main one and its signals.
        import pynvim  # noqa: F401
    except ImportError as error:
        raise NeovimMissingError from error
    connection = NeovimConnection(address, asyncio.get_running_loop())
    connection._thread.start()
    try:
        async with asyncio.timeout(deadline):
            await connection._ready
    except TimeoutError:
        await connection.close()
        raise NeovimUnreachableError(address) from None
    except BaseException:
        await connection.close()
        raise
    connection.lua_later(lua_script("keys"))  # from now on it is known when the last key came
    return connection


@functools.cache
def lua_script(*names: str) -> str:
    """Scripts of the folder `lua`, one after the other; they are kept to what Neovim 0.7.2 knows."""
    texts = []
    for name in names:
        with open(os.path.join(_LUA_FOLDER, f"{name}.lua"), encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def _open_session(address: str) -> "Session":
    import pynvim

    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and not os.path.exists(address):
        return pynvim.tcp_session(host or "127.0.0.1", int(port))
    return pynvim.socket_session(address)


def _hang_up(session: "Session") -> None:
    """Close the socket, which ends the loop; pynvim's own way stops the loop first, and then nothing closes it."""
    transport = getattr(session.loop, "_transport", None)
    if transport is not None:
        transport.close()
    else:
        session.stop()


def _fail(answer: asyncio.Future[Any], error: NeovimError) -> None:
    if not answer.done():
        answer.set_exception(error)
