"""The settings, section by section; every change shows and is kept at once."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.settings import SETTINGS, Setting
from cmdr.model.actions import BY_ID, Action
from cmdr.model.keys import normal, spoken
from cmdr.model.panes.workspace import Dialog, SettingsSection
from cmdr.tui.input.key_map import ACTIONS, unusable
from cmdr.tui.terminal.safe_text import fit
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import Window

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
            shown = f"{keys}, {waits}" if keys and self.waits is Waits.AS_WELL and waits else waits or keys or "–"
            rows.append([(f"{'*' if action.id in own else ' '}{action.title:<36}", "file"), (shown, "bar_key")])
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
        self._screen.enqueue(
            "settings.bind", {"action": id, "keys": None if keys is None else [*keys]}, done=self._done
        )

    def _done(self, answer: str) -> None:
        self._changed()


_SECTIONS = tuple(SettingsSection)


class SettingsWindow(Window[str]):
    """Tab changes the section, Enter the value."""

    heading = "Settings"

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._dialog = dialog
        self.dialog = dialog.id
        self._shortcuts = Shortcuts(screen, self._show)

    @property
    def _section(self) -> SettingsSection:
        return self._dialog.section or SettingsSection.GENERAL

    def contents(self) -> list[Widget]:
        """Sections above, rows below, one line to explain."""
        self._heads = LineList(self.appearance, [], lines=2, cursor=False)
        self._list = LineList(self.appearance, [], lines=13)
        self._note = LineList(self.appearance, [], lines=1, cursor=False)
        return [self._heads, self._list, self._note]

    def opened(self) -> None:
        self._show()

    def pressed(self, event: events.Key) -> bool:
        if self._shortcuts.waits is not Waits.NOT:
            self._shortcuts.take(event.key, self._list.cursor)
            return True
        if self._in_shortcuts and self._change_shortcut(event.key):
            return True
        if event.key in ("tab", "right", "shift+tab", "left"):
            step = 1 if event.key in ("tab", "right") else -1
            section = _SECTIONS[(_SECTIONS.index(self._section) + step) % len(_SECTIONS)]
            self._screen.enqueue(
                "dialog", {"action": "focus", "type": "settings", "section": section.value}, done=lambda _: self._turn()
            )
            return True
        if event.key in ("enter", "space"):
            self._change()
            return True
        if event.key in ("delete", "backspace"):
            self._reset()
            return True
        return self._list.pressed(event)

    def closes_with(self, key: str) -> bool:
        """F10 may be the key that is waited for; Esc never is."""
        return key == "escape" or (self._shortcuts.waits is Waits.NOT and super().closes_with(key))

    def leave(self) -> None:
        """Esc ends waiting for a key first."""
        if self._shortcuts.waits is not Waits.NOT:
            self._shortcuts.begin(Waits.NOT)
        else:
            super().leave()

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        self._change()

    def _turn(self) -> None:
        self._list.cursor = 0
        self._show()

    @property
    def _in_shortcuts(self) -> bool:
        return self._section is SettingsSection.SHORTCUTS

    def _change_shortcut(self, key: str) -> bool:
        place = self._list.cursor
        if key in ("enter", "space"):
            self._shortcuts.begin(Waits.INSTEAD)
        elif key in ("insert", "plus"):
            self._shortcuts.begin(Waits.AS_WELL)
        elif key in ("delete", "minus"):
            self._shortcuts.drop(place)
        elif key == "backspace":
            self._shortcuts.reset(place)
        else:
            return False
        return True

    @property
    def _settings(self) -> list[Setting]:
        return [setting for setting in SETTINGS.values() if setting.section is self._section]

    def _change(self) -> None:
        if self._in_shortcuts:
            self._shortcuts.begin(Waits.INSTEAD)
            return
        if self._list.cursor >= len(self._settings):
            return
        setting = self._settings[self._list.cursor]
        value = self._screen.commander.settings.get(setting.key)
        if isinstance(setting.default, bool):
            self._set(setting, not value)
        elif setting.choices:
            place = setting.choices.index(str(value)) if value in setting.choices else -1
            self._set(setting, setting.choices[(place + 1) % len(setting.choices)])
        else:
            from cmdr.tui.windows.ask import Ask

            self._screen.terminal.ask(Ask(setting.title, str(value)), lambda text: self._set(setting, text))

    def _reset(self) -> None:
        if self._list.cursor < len(self._settings):
            setting = self._settings[self._list.cursor]
            self._set(setting, setting.default)

    def _set(self, setting: Setting, value: str | int | bool) -> None:
        self._screen.enqueue("settings.set", {"key": setting.key, "value": value}, done=lambda _: self._show())

    def _show(self) -> None:
        if not self.is_attached:
            return
        heads: list[tuple[str, str]] = []
        for section in _SECTIONS:
            heads += [
                (f" {section.capitalize()} ", "title_active" if section is self._section else "dim"),
                (" ", "file"),
            ]
        self._heads.show([heads, [("", "file")]])
        settings = self._screen.commander.settings
        rows: list[Row] = self._shortcuts.rows(self._list.cursor) if self._in_shortcuts else self._setting_rows()
        self._list.show(rows, keep=True)
        problems = [*settings.problems, *self._screen.keys.problems]
        news = self._shortcuts.note if self._in_shortcuts else ""
        note = f"kept in {settings.path}" if settings.path else "kept until you quit"
        self._note.show([[(f" {news or (problems or [note])[-1]}", "agent" if news or problems else "dim")]])
        change = self._shortcuts.hint if self._in_shortcuts else "Enter changes · Del: as it was · Tab: section"
        self.title_box("Settings", f"{change} · Esc closes")

    def _setting_rows(self) -> list[Row]:
        settings = self._screen.commander.settings
        values = [(setting.title, _value_text(settings.get(setting.key))) for setting in self._settings]
        width = max(8, min(52, (self._list.size.width or 72) - 2 - max((len(value) for _, value in values), default=0)))
        return [[(f" {fit(title, width)}", "file"), (f" {value}", "bar_key")] for title, value in values]


def _value_text(value: str | int | bool) -> str:
    return "on" if value is True else "off" if value is False else str(value) or "–"
