"""The person's own keys, action by action: another key instead, one more, one less, or as it was."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from cmdr.model.actions import BY_ID, Action
from cmdr.model.keys import normal, spoken
from cmdr.tui.key_map import ACTIONS, unusable
from cmdr.tui.windows.line_list import Row

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


class Waits(Enum):
    """What the next key is for."""

    NOT = ""
    INSTEAD = "press the new key…"
    AS_WELL = "press one more key…"


class Shortcuts:
    """The rows of the shortcuts section and what can be done with each; `changed` is called when they differ."""

    hint = "Enter new · Ins adds · Del removes · Backspace resets"

    def __init__(self, screen: MainScreen, changed: Callable[[], None]) -> None:
        self._screen = screen
        self._changed = changed
        self.waits = Waits.NOT
        self.note = ""
        """What the last key led to, where that is not plain to see."""

    def begin(self, waits: Waits) -> None:
        """The next key is for the action under the cursor, or for nothing any more."""
        self.waits, self.note = waits, ""
        self._changed()

    def take(self, pressed: str, place: int) -> None:
        """The key that was waited for."""
        waits, self.waits = self.waits, Waits.NOT
        action, key = ACTIONS[place], normal(pressed)
        if why := unusable(key):
            self.note = f"{spoken(key)} cannot be used: {why}."
            self._changed()
            return
        self._tell_loss(key, action)
        before = self._keys(action) if waits is Waits.AS_WELL else []
        self._bind(action.id, [*(known for known in before if known != key), key])

    def drop(self, place: int) -> None:
        """Take a key away; which one is asked where there are several."""
        action = ACTIONS[place]
        keys = self._keys(action)
        if len(keys) < 2:
            self._bind(action.id, [])
            return
        from cmdr.tui.windows.choose import Choice, Choose

        self._screen.terminal.ask(
            Choose(f"{action.title} without", [Choice(key, spoken(key)) for key in keys]),
            lambda gone: self._bind(action.id, [key for key in keys if key != gone]),
        )

    def reset(self, place: int) -> None:
        """The usual keys."""
        self.note = ""
        self._bind(ACTIONS[place].id, None)

    def rows(self, cursor: int) -> list[Row]:
        """Every action with its keys; a star marks what is the person's own choice."""
        own = self._screen.commander.settings.shortcuts
        rows: list[Row] = []
        for place, action in enumerate(ACTIONS):
            keys = self._screen.keys.all_keys(action.id)
            waits = self.waits.value if place == cursor else ""
            told = f"{keys}, {waits}" if keys and self.waits is Waits.AS_WELL and waits else waits or keys or "–"
            rows.append([(f"{'*' if action.id in own else ' '}{action.title:<36}", "file"), (told, "bar_key")])
        return rows

    def _keys(self, action: Action) -> list[str]:
        return list(self._screen.keys.keys.get(action.id, ()))

    def _tell_loss(self, key: str, action: Action) -> None:
        """A key does one thing: whoever had it loses it, and the person is told."""
        had = self._screen.keys.actions.get(key)
        self.note = ""
        if had is None or had == action.id:
            return
        title = BY_ID[had].title if had in BY_ID else had
        self.note = f"{spoken(key)} was for “{title}”; now it is for “{action.title}”."
        if (own := self._screen.commander.settings.shortcuts.get(had)) is not None:
            self._bind(had, [kept for kept in own if normal(kept) != key])

    def _bind(self, id: str, keys: list[str] | None) -> None:
        self._screen.give("settings.bind", {"action": id, "keys": None if keys is None else [*keys]}, done=self._done)

    def _done(self, answer: str) -> None:
        self._changed()
