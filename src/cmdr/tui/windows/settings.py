"""The settings, section by section; every change shows and is kept at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.settings import SETTINGS, Setting
from cmdr.model.dialog import Dialog, SettingsSection
from cmdr.tui.key_map import ACTIONS, normal
from cmdr.tui.windows.line_list import LineList, Row
from cmdr.tui.windows.window import Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_SECTIONS = tuple(SettingsSection)


class SettingsWindow(Window[str]):
    """Tab changes the section, Enter the value; in shortcuts, Enter waits for the new key."""

    heading = "Settings"

    def __init__(self, dialog: Dialog, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._dialog = dialog
        self.dialog = dialog.id
        self._waits_for_key = False

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
        if self._waits_for_key:
            self._bind(event.key)
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

    def leave(self) -> None:
        """Esc ends waiting for a key first."""
        if self._waits_for_key:
            self._waits_for_key = False
            self._show(keep=True)
        else:
            super().leave()

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        """A click."""
        self._change()

    def _turn(self) -> None:
        self._list.cursor = 0
        self._show()

    @property
    def _settings(self) -> list[Setting]:
        return [setting for setting in SETTINGS.values() if setting.section is self._section]

    def _change(self) -> None:
        if self._section is SettingsSection.SHORTCUTS:
            self._waits_for_key = True
            self._show(keep=True)
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
        if self._section is SettingsSection.SHORTCUTS:
            action = ACTIONS[self._list.cursor]
            self._screen.give("settings.bind", {"action": action.id}, done=lambda _: self._show(keep=True))
        elif self._list.cursor < len(self._settings):
            setting = self._settings[self._list.cursor]
            self._set(setting, setting.default)

    def _set(self, setting: Setting, value: str | int | bool) -> None:
        self._screen.give("settings.set", {"key": setting.key, "value": value}, done=lambda _: self._show(keep=True))

    def _bind(self, key: str) -> None:
        self._waits_for_key = False
        action = ACTIONS[self._list.cursor]
        self._screen.give(
            "settings.bind", {"action": action.id, "keys": [normal(key)]}, done=lambda _: self._show(keep=True)
        )

    def _show(self, *, keep: bool = False) -> None:
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
        shortcuts = self._section is SettingsSection.SHORTCUTS
        rows: list[Row] = []
        if shortcuts:
            for place, action in enumerate(ACTIONS):
                waits = self._waits_for_key and place == self._list.cursor
                keys = "press the new key…" if waits else self._screen.keys.all_keys(action.id) or "–"
                own = "*" if action.id in settings.shortcuts else " "
                rows.append([(f"{own}{action.title:<36}", "file"), (keys, "bar_key")])
        else:
            rows = [
                [(f" {setting.title:<52}", "file"), (_told(settings.get(setting.key)), "bar_key")]
                for setting in self._settings
            ]
        self._list.show(rows, keep=True)
        problems = [*settings.problems, *self._screen.keys.problems]
        note = problems[-1] if problems else f"kept in {settings.path}" if settings.path else "kept until you quit"
        self._note.show([[(f" {note}", "agent" if problems else "dim")]])
        change = "Enter: new key" if shortcuts else "Enter changes"
        self.title_box("Settings", f"Tab section · {change} · Del: as it was · Esc closes")


def _told(value: str | int | bool) -> str:
    return "on" if value is True else "off" if value is False else str(value) or "–"
