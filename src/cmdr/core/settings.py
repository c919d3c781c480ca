"""The person's settings: what there is to choose, and the file that keeps it.

`settings.toml` in the config folder is the person's own: comments and unknown keys in it stay. A file that cannot be
read as TOML means the defaults, and is never written over.
"""

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmdr.core import places
from cmdr.core.errors import CommandError
from cmdr.model.names import printable
from cmdr.model.panes.workspace import SettingsSection as Section
from cmdr.model.root_spec import check_kept_roots

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from cmdr.core.write_queue import WriteQueue
    from cmdr.model.rules import Rule

NAME = "settings.toml"
ROOTS = "agents.roots"
PANES = "agents.panes"
Value = str | int | bool
_RULES = f"{NAME}, rules: "
_MAX_BYTES = 4 << 20
_WRITE_TIMEOUT_S = 5.0
"""Seconds that the end of the program waits for a choice to be kept."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing to choose."""

    key: str
    section: Section
    title: str
    default: Value
    choices: tuple[str, ...] = ()
    form: Callable[[str], None] | None = None
    """For text that must have one: raises `ValueError` with what is wrong."""

    def check(self, value: object) -> Value:
        """The value in its right type, or an error that says what is possible."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            if isinstance(value, str) and value.lower() in ("true", "false"):
                return value.lower() == "true"
            raise CommandError(f"{self.key} is true or false.")
        if isinstance(self.default, int):
            if isinstance(value, int) and not isinstance(value, bool):
                return value
            if isinstance(value, str) and value.lstrip("-").isdecimal():
                return int(value)
            raise CommandError(f"{self.key} is a whole number.")
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise CommandError(
                f"{self.key} is one of {', '.join(self.choices)}." if self.choices else f"{self.key} is text."
            )
        if self.form is not None:
            try:
                self.form(value)
            except ValueError as error:
                raise CommandError(f"{self.key}: {error}.") from None
        return value


_G, _A, _AG, _AD = Section.GENERAL, Section.APPEARANCE, Section.AGENTS, Section.ADVANCED

SETTINGS: dict[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting("general.view", _G, "View of new panes", "full", ("full", "brief")),
        Setting("general.restore_tabs", _G, "Open the tabs of last time at start", True),
        Setting("general.parent_row", _G, "Show the .. row", True),
        Setting("general.show_hidden", _G, "Show hidden files at start", False),
        Setting("general.confirm_quit", _G, "Ask before quitting while jobs run", True),
        Setting("general.quick_search", _G, "Letters search for a name at once", True),
        Setting("appearance.theme", _A, "Theme", "auto", ("auto", "dark", "light", "terminal", "classic")),
        Setting("appearance.sizes", _A, "Sizes", "binary", ("binary", "decimal", "bytes")),
        Setting("appearance.dates", _A, "Dates", "iso", ("iso", "short", "relative")),
        Setting("appearance.file_colours", _A, "Colours by kind of file", True),
        Setting("appearance.key_bar", _A, "Show the key bar", True),
        Setting("agents.activity", _AG, "Show what agents are doing", True),
        Setting("agents.mark_changes", _AG, "Mark what agents change", True),
        Setting("agents.notify", _AG, "Notify of what waits for you", "when away", ("when away", "always", "never")),
        Setting("agents.bell", _AG, "Ring with it", True),
        Setting("agents.windows", _AG, "Show agents' windows", "when idle", ("at once", "when idle", "never")),
        Setting(PANES, _AG, "Where agents work: tabs of their own, or yours", "own tab", ("own tab", "shared")),
        Setting(ROOTS, _AG, "Folders agents may use, from the next start on (/a:ro:/b)", "", form=check_kept_roots),
        Setting("advanced.editor", _AD, "Editor (empty: built in, $EDITOR for large files)", ""),
        Setting("advanced.editor_limit_kib", _AD, "Largest file for the built-in editor, KiB", 1024),
        Setting("advanced.viewer_wrap", _AD, "Viewer wraps long lines", True),
        Setting("advanced.mouse", _AD, "Mouse", True),
        Setting("advanced.idle_walk", _AD, "Read indexed trees again when nothing else runs", True),
    )
}


class Settings:
    """What the person chose; without a folder it lives only as long as the program."""

    def __init__(self, folder: str | None = None) -> None:
        self._path = None if folder is None else os.path.join(folder, NAME)
        self._values: dict[str, Value] = {}
        self.shortcuts: dict[str, list[str]] = {}
        """The person's own keys, by action or command."""
        self.problems: list[str] = []
        """What is wrong with the file, in one sentence each."""
        self.rules: tuple[Rule, ...] = ()
        """What the person said yes to beforehand, as the file has it: `[[rules]]`."""
        self._unsaved = ""
        """What a file would hold, where none is kept."""
        self._broken = False
        self._unclear: set[str] = set()
        self._listeners: list[Callable[[], None]] = []
        self._writing: WriteQueue | None = None
        self._load()

    @property
    def path(self) -> str | None:
        """The file, or None."""
        return self._path

    def get(self, key: str) -> Value:
        """The chosen value, or the default."""
        return self._values.get(key, SETTINGS[key].default)

    def is_clear(self, key: str) -> bool:
        """Whether the file could be understood about this; where not, the default may not be what was meant."""
        return not self._broken and key not in self._unclear

    def text(self, key: str) -> str:
        """A setting that is text."""
        return str(self.get(key))

    def flag(self, key: str) -> bool:
        """A setting that is on or off."""
        return bool(self.get(key))

    def number(self, key: str) -> int:
        """A setting that is a number."""
        return int(self.get(key))

    async def choose(self, key: str, value: object) -> Value:
        """Choose a value and keep it; it holds once it is kept."""
        setting = SETTINGS.get(key)
        if setting is None:
            raise CommandError(f"No setting {printable(key, 60)}. There are: {', '.join(SETTINGS)}.")
        checked = setting.check(value)
        section, _, name = key.partition(".")
        await self._keep(section, name, checked)
        self._values[key] = checked
        self._unclear.discard(key)
        self._tell()
        return checked

    async def bind(self, action: str, keys: list[str] | None) -> None:
        """Give an action other keys, or its usual ones back."""
        await self._keep("shortcuts", action, keys)
        if keys is None:
            self.shortcuts.pop(action, None)
        else:
            self.shortcuts[action] = keys
        self._tell()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every change."""
        self._listeners.append(listener)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def _load(self) -> None:
        if self._path is None:
            return
        try:
            text = _text_in(self._path)
            document = tomllib.loads(text)
        except FileNotFoundError:
            return
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self._broken = True
            self.problems.append(
                f"The settings cannot be read ({error}); the defaults hold, and the file is left alone: {self._path}"
            )
            return
        for key, setting in SETTINGS.items():
            section, _, name = key.partition(".")
            table = document.get(section)
            if isinstance(table, dict) and name in table:
                try:
                    self._values[key] = setting.check(table[name])
                except CommandError as error:
                    self._unclear.add(key)
                    self.problems.append(f"{NAME}: {error}")
        shortcuts = document.get("shortcuts", {})
        for action, keys in shortcuts.items() if isinstance(shortcuts, dict) else ():
            wanted = [keys] if isinstance(keys, str) else keys
            if isinstance(wanted, list) and all(isinstance(key, str) for key in wanted):
                self.shortcuts[action] = wanted
            else:
                self.problems.append(f"{NAME}: shortcuts.{action} is a key or a list of keys.")
        self._take_rules(document, text)

    def read_rules(self) -> str:
        """What the file holds now; blocks. Raises `OSError` or `ValueError` where it cannot be read."""
        if self._path is None:
            return self._unsaved
        try:
            return _text_in(self._path)
        except FileNotFoundError:
            return ""

    def take_rules(self, text: str) -> None:
        """Let the rules hold that a text of the file has; none do where it is no TOML."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.no_rules_because(str(error))
            return
        self._take_rules(document, text)

    def no_rules_because(self, problem: str) -> None:
        """Let no rule hold, and tell why."""
        self._take_rules({}, "")
        self.problems.append(f"{_RULES}none holds, because the settings cannot be read ({problem})")

    async def rewrite(self, change: "Callable[[TOMLDocument], None]") -> str:
        """Change the document that the file holds and keep it; what it holds then. Comments and order stay."""
        if self._broken:
            raise CommandError(f"Not kept: the settings file cannot be read. Mend or remove it: {self._path}")
        written: list[str] = []

        def work() -> None:
            import tomlkit

            document = tomlkit.parse(self.read_rules())
            change(document)
            written.append(tomlkit.dumps(document))
            if self._path is None:
                self._unsaved = written[-1]
            else:
                places.write(self._path, written[-1].encode())

        await self._write_behind(work)
        return written[-1]

    def _take_rules(self, document: dict[str, object], text: str) -> None:
        self.problems[:] = [problem for problem in self.problems if not problem.startswith(_RULES)]
        self.rules = ()
        if "rules" in document:
            from cmdr.model.rule_entries import rules_in  # noqa: PLC0415 - the panes come up without it

            self.rules = rules_in(document["rules"], text)
            self.problems += [f"{_RULES}{rule.problem}" for rule in self.rules if rule.problem]

    async def close(self) -> None:
        """Wait until everything chosen is kept."""
        if self._writing is not None:
            await self._writing.finish(_WRITE_TIMEOUT_S)

    async def _keep(self, section: str, name: str, value: Value | list[str] | None) -> None:
        path = self._path
        if path is None:
            return
        if self._broken:
            raise CommandError(f"Not kept: the settings file cannot be read. Mend or remove it: {path}")
        await self._write_behind(lambda: _write(path, section, name, value))

    async def _write_behind(self, work: Callable[[], None]) -> None:
        from cmdr.core.write_queue import WriteQueue  # loads what the first picture does without

        self._writing = self._writing or WriteQueue()
        try:
            await self._writing.write(work)
        except (OSError, ValueError) as error:
            raise CommandError(f"Not kept: {error}. The settings are in {self._path}") from error


def _text_in(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read(_MAX_BYTES)


def _write(path: str, section: str, name: str, value: Value | list[str] | None) -> None:
    import tomlkit

    try:
        with open(path, encoding="utf-8") as file:
            document = tomlkit.parse(file.read())
    except FileNotFoundError:
        document = tomlkit.document()
    if section not in document:
        document.add(section, tomlkit.table())
    table = document[section]
    if not isinstance(table, dict):
        raise CommandError(f"Not kept: “{section}” is no table in {path}")
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
    places.write(path, tomlkit.dumps(document).encode())
