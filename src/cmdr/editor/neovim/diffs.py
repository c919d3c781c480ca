"""Diffs shown in Neovim: `:w` or Enter accepts what stands on the proposed side, `q` or closing the view rejects."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from cmdr.editor.neovim import diff_lua
from cmdr.editor.neovim.connection import NeovimConnection
from cmdr.editor.neovim.errors import NeovimGoneError, NeovimRefusedError

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


DEAF_MS = 600
"""Single keys answer only so long after a diff came up: before that they were meant for something else."""


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
        consent: Consent = FREELY,
    ) -> DiffAnswer:
        """Show a diff and wait for the answer; being cancelled closes it. Raises `NeovimGoneError` when Neovim ends.

        It appears as soon as Neovim can show it, also when that waits for a key now. After an answer the view of an
        accepted diff stays until `close`.
        """
        answer: asyncio.Future[DiffAnswer] = asyncio.get_running_loop().create_future()
        self._open[id] = answer
        self._shown[id] = asyncio.Event()
        new_lines, ends = to_lines(new)
        old_lines, _ = to_lines(old)
        syntax = syntax_of(language_id)
        arguments = [self._connection.channel, id, _one_line(label), old_lines, new_lines, ends, syntax]
        asks = (_one_line(hint), consent.word, _one_line(consent.why), self.deaf_ms)
        self._connection.lua_later(diff_lua.OPEN, *arguments, *asks)
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

    async def shown(self, id: str) -> None:
        """Wait until a diff really stands on the screen."""
        event = self._shown.get(id)
        if event is not None:
            await event.wait()

    def close(self, id: str) -> None:
        """Take a diff off the screen, as soon as Neovim can; one that is not there is fine."""
        self._connection.lua_later(diff_lua.CLOSE, id)

    def close_all(self) -> None:
        """Take all diffs off the screen."""
        for id in list(self._open):
            self.close(id)

    def _on_event(self, args: list[Any]) -> None:
        id, event, *more = args
        answer, shown = self._open.get(id), self._shown.get(id)
        if event == "opened" and shown is not None:
            shown.set()
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
