"""Diffs shown in Neovim: `:w` accepts what stands on the proposed side, `q` or closing the view rejects.

A diff comes up when nobody types, and listens only after another pause: no key that was meant for something else
answers or edits it.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from cmdr.editor.neovim.connection import NeovimConnection, NeovimGoneError, NeovimRefusedError, lua_script
from cmdr.model.names import printable

DEAF_MS = 600
"""So long without a key, once a diff stands, before keys may answer or edit it: those before were meant elsewhere."""
_SYNTAX = {
    "csharp": "cs",
    "ignore": "gitignore",
    "ini": "dosini",
    "jsonc": "jsonc",
    "jsonl": "json",
    "latex": "tex",
    "makefile": "make",
    "plaintext": "",
    "restructuredtext": "rst",
    "shellscript": "sh",
}
"""Neovim's names for languages that it calls otherwise."""


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    """What the person did with a diff in Neovim."""

    kind: Literal["accepted", "closed"]
    text: str = ""
    """Accepted: the proposed side as written."""


@dataclass(frozen=True, slots=True)
class Consent:
    """What `:w` asks for before it accepts: a word to type, and why; nothing when writing is enough."""

    word: str = ""
    why: str = ""


FREELY = Consent()


def syntax_of(language_id: str) -> str:
    """Neovim's own name for a language."""
    return _SYNTAX.get(language_id, language_id)


class NeovimDiffs:
    """All diffs that one connection shows."""

    def __init__(self, connection: NeovimConnection) -> None:
        self._connection = connection
        self._open: dict[str, asyncio.Future[DiffAnswer]] = {}
        self._shown: dict[str, asyncio.Event] = {}
        self._awake: dict[str, asyncio.Event] = {}
        self.deaf_ms = DEAF_MS
        connection.on("cmdr_diff", self._on_event)

    async def show(
        self,
        id: str,
        *,
        label: str,
        old: str,
        new: str,
        language_id: str = "plaintext",
        hint: str = "",
        before: str = "before",
        waits: str = "",
        consent: Consent = FREELY,
    ) -> DiffAnswer:
        """Show a diff and wait for the answer; being cancelled closes it. Raises `NeovimGoneError` when Neovim ends.

        It appears once the person pauses outside of Insert mode; until then `waits` says in Neovim that it is there.
        After an answer the view of an accepted diff stays until `close`.
        """
        answer: asyncio.Future[DiffAnswer] = asyncio.get_running_loop().create_future()
        self._open[id] = answer
        self._shown[id], self._awake[id] = asyncio.Event(), asyncio.Event()
        new_lines, ends = to_lines(new)
        old_lines, _ = to_lines(old)
        syntax = syntax_of(language_id)
        arguments = [self._connection.channel, id, printable(_one_line(label), 80), old_lines, new_lines, ends, syntax]
        asks = (_one_line(hint), consent.word, _one_line(consent.why), _one_line(before), _one_line(waits))
        self._connection.lua_later(
            lua_script("keys", "open_diff"), *arguments, *asks, self._connection.quiet_ms, self.deaf_ms
        )
        gone = asyncio.ensure_future(self._connection.gone.wait())
        try:
            either: set[asyncio.Future[Any]] = {answer, gone}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise NeovimGoneError
            return answer.result()
        except asyncio.CancelledError:
            self.close(id)
            raise
        finally:
            gone.cancel()
            answer.cancel()
            self._open.pop(id, None)
            self._shown.pop(id, None)
            self._awake.pop(id, None)

    async def shown(self, id: str) -> None:
        """Wait until a diff really stands on the screen."""
        if id in self._shown:
            await self._shown[id].wait()

    async def awake(self, id: str) -> None:
        """Wait until a diff listens to what is typed."""
        if id in self._awake:
            await self._awake[id].wait()

    def close(self, id: str) -> None:
        """Take a diff off the screen, as soon as Neovim can; one that is not there is fine."""
        self._connection.lua_later(lua_script("close_diff"), id)

    def close_all(self) -> None:
        """Take all diffs off the screen."""
        for id in list(self._open):
            self.close(id)

    def _on_event(self, args: list[Any]) -> None:
        id, event, *more = args
        answer = self._open.get(id)
        reached = {"opened": self._shown, "awake": self._awake}.get(event, {}).get(id)
        if reached is not None:
            reached.set()
        if answer is None or answer.done():
            return
        if event == "accepted":
            lines, ends = more
            answer.set_result(DiffAnswer("accepted", from_lines(lines, ends)))
        elif event == "closed":
            answer.set_result(DiffAnswer("closed"))
        elif event == "failed":
            answer.set_exception(NeovimRefusedError(str(more[0])))


def to_lines(text: str) -> tuple[list[str], bool]:
    """A text as Neovim holds it: lines, and whether the last one is ended."""
    lines = text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        return lines[:-1], True
    return lines, False


def from_lines(lines: list[str], ends: bool) -> str:
    """The text that Neovim's lines stand for."""
    return "\n".join(lines) + ("\n" if ends else "")


def _one_line(text: str) -> str:
    return " ".join(text.split())
