"""The settings, section by section; every change shows and is kept at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.settings import SETTINGS, Setting
from cmdr.model.panes.dialog import Dialog, SettingsSection
from cmdr.tui.safe_text import fit
from cmdr.tui.windows.line_list import LineList, Row
from cmdr.tui.windows.shortcuts import Shortcuts, Waits
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

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
        """Fill it."""
        self._show()

    def pressed(self, event: events.Key) -> bool:
        """Move, change."""
        if self._shortcuts.waits is not Waits.NOT:
            self._shortcuts.take(event.key, self._list.cursor)
            return True
        if self._in_shortcuts and self._change_shortcut(event.key):
            return True
        if event.key in ("tab", "right", "shift+tab", "left"):
            step = 1 if event.key in ("tab", "right") else -1
            section = _SECTIONS[(_SECTIONS.index(self._section) + step) % len(_SECTIONS)]
            self._screen.give(
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

    def leaves(self, key: str) -> bool:
        """F10 may be the key that is waited for; Esc never is."""
        return key == "escape" or (self._shortcuts.waits is Waits.NOT and super().leaves(key))

    def leave(self) -> None:
        """Esc ends waiting for a key first."""
        if self._shortcuts.waits is not Waits.NOT:
            self._shortcuts.begin(Waits.NOT)
        else:
            super().leave()

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        """A click."""
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
        self._screen.give("settings.set", {"key": setting.key, "value": value}, done=lambda _: self._show())

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
        told = [(setting.title, _told(settings.get(setting.key))) for setting in self._settings]
        width = max(8, min(52, (self._list.size.width or 72) - 2 - max((len(value) for _, value in told), default=0)))
        return [[(f" {fit(title, width)}", "file"), (f" {value}", "bar_key")] for title, value in told]


def _told(value: str | int | bool) -> str:
    return "on" if value is True else "off" if value is False else str(value) or "–"
