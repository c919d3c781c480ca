"""Which key does what: the defaults, the person's own choices on top, and the clashes between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key can do in the panes."""

    id: str
    title: str
    keys: tuple[str, ...]
    section: str
    bar: str = ""
    """The word on the key bar, for function keys."""


def _a(id: str, title: str, keys: str, section: str, bar: str = "") -> Action:
    return Action(id, title, tuple(keys.split()), section, bar)


_FILES, _GO, _SELECT, _VIEW, _TABS, _WORK = "Files", "Go", "Select", "View", "Tabs", "Work"

ACTIONS: tuple[Action, ...] = (
    _a("help", "Help", "f1", _WORK, "Help"),
    _a("rename", "Rename", "f2 shift+f6", _FILES, "Rename"),
    _a("view", "View", "f3", _FILES, "View"),
    _a("edit", "Edit", "f4", _FILES, "Edit"),
    _a("new_file", "New file", "shift+f4", _FILES),
    _a("copy", "Copy", "f5", _FILES, "Copy"),
    _a("copy_here", "Copy under another name here", "shift+f5", _FILES),
    _a("move", "Move", "f6", _FILES, "Move"),
    _a("mkdir", "New folder", "f7", _FILES, "Mkdir"),
    _a("trash", "Move to the trash", "f8 delete", _FILES, "Trash"),
    _a("delete", "Delete for good", "shift+f8 shift+delete", _FILES),
    _a("bulk_rename", "Rename many", "alt+r", _FILES),
    _a("attributes", "Attributes: permissions and time", "alt+e", _FILES),
    _a("pack", "Pack into an archive", "alt+f5", _FILES),
    _a("unpack", "Unpack archives", "alt+f9", _FILES),
    _a("info", "Info", "alt+i alt+enter", _FILES),
    _a("copy_path", "Copy the path to the clipboard", "alt+c", _FILES),
    _a("copy_name", "Copy the name to the clipboard", "alt+n", _FILES),
    _a("palette", "All commands", "f9 ctrl+p", _WORK, "Menu"),
    _a("quit", "Quit", "f10 ctrl+q", _WORK, "Quit"),
    _a("undo", "Undo", "ctrl+z", _WORK),
    _a("history", "History and undo", "ctrl+shift+z alt+z", _WORK),
    _a("jobs", "Jobs", "ctrl+j", _WORK),
    _a("approvals", "What agents propose", "ctrl+y", _WORK),
    _a("agents", "Agents", "alt+a", _WORK),
    _a("mention", "Mention to the coding agent", "alt+m", _WORK),
    _a("stop_agents", "Stop all agents", "ctrl+k", _WORK),
    _a("settings", "Settings", "alt+s", _WORK),
    _a("shell", "Shell in this folder", "alt+x", _WORK),
    _a("run", "Run a command here", "exclamation_mark", _WORK),
    _a("other_pane", "Other pane", "tab shift+tab", _GO),
    _a("open", "Open", "enter", _GO),
    _a("parent", "Up one folder", "backspace ctrl+up", _GO),
    _a("back", "Back", "alt+left alt+y", _GO),
    _a("forward", "Forward", "alt+right alt+u", _GO),
    _a("visited", "Folders this tab has been in", "alt+down", _GO),
    _a("root", "Root folder", "ctrl+underscore", _GO),
    _a("home", "Home folder", "alt+h", _GO),
    _a("go_to_path", "Go to path", "ctrl+g", _GO),
    _a("find", "Find", "ctrl+f alt+f7 alt+question_mark", _GO),
    _a("report", "Report on this folder", "alt+l", _GO),
    _a("bookmarks", "Bookmarks and frequent folders", "ctrl+backslash ctrl+d", _GO),
    _a("bookmark_here", "Bookmark this folder", "alt+b", _GO),
    _a("open_other", "Folder under the cursor in the other pane", "alt+o", _GO),
    _a("same_folder", "This folder in the other pane", "ctrl+o", _GO),
    _a("swap", "Swap panes", "ctrl+u", _GO),
    _a("volume", "Volumes", "ctrl+v", _GO),
    _a("left_volume", "Volumes, left pane", "alt+f1", _GO),
    _a("right_volume", "Volumes, right pane", "alt+f2", _GO),
    _a("refresh", "Read again", "ctrl+r", _GO),
    _a("up", "Cursor up", "up", _GO),
    _a("down", "Cursor down", "down", _GO),
    _a("left", "Column to the left, or up a page", "left", _GO),
    _a("right", "Column to the right, or down a page", "right", _GO),
    _a("page_up", "Page up", "pageup", _GO),
    _a("page_down", "Page down", "pagedown", _GO),
    _a("first", "First", "home", _GO),
    _a("last", "Last", "end", _GO),
    _a("mark", "Select and go down", "insert", _SELECT),
    _a("mark_stay", "Select", "space", _SELECT),
    _a("mark_up", "Select upwards", "shift+up", _SELECT),
    _a("mark_down", "Select downwards", "shift+down", _SELECT),
    _a("mark_page_up", "Select a page upwards", "shift+pageup", _SELECT),
    _a("mark_page_down", "Select a page downwards", "shift+pagedown", _SELECT),
    _a("mark_first", "Select up to the first", "shift+home", _SELECT),
    _a("mark_last", "Select down to the last", "shift+end", _SELECT),
    _a("select_mask", "Select by mask", "plus", _SELECT),
    _a("deselect_mask", "Deselect by mask", "minus", _SELECT),
    _a("invert", "Invert the selection", "asterisk", _SELECT),
    _a("select_all", "Select all", "ctrl+a", _SELECT),
    _a("select_none", "Select nothing", "ctrl+shift+a alt+minus", _SELECT),
    _a("compare", "Compare the panes", "alt+d", _SELECT),
    _a("filter", "Filter", "slash", _VIEW),
    _a("sort", "Sort", "ctrl+s", _VIEW),
    _a("view_mode", "Brief or full", "ctrl+b", _VIEW),
    _a("hidden", "Hidden files", "alt+full_stop", _VIEW),
    _a("folder_size", "Add up the folder under the cursor", "ctrl+space", _VIEW),
    _a("preview", "Quick view in the other pane", "ctrl+x", _VIEW),
    _a("new_tab", "New tab", "ctrl+t", _TABS),
    _a("close_tab", "Close tab", "ctrl+w", _TABS),
    _a("next_tab", "Next tab", "ctrl+pagedown", _TABS),
    _a("previous_tab", "Previous tab", "ctrl+pageup", _TABS),
    _a("pin_tab", "Pin tab", "alt+p", _TABS),
    _a("reopen_tab", "Reopen closed tab", "alt+t", _TABS),
)
SECTIONS = (_FILES, _GO, _SELECT, _VIEW, _TABS, _WORK)
BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}

# Some terminals never send these as such; a binding that looks fine and does nothing is worse than none.
_UNUSABLE = {
    "ctrl+f3": "terminals send it as a cursor report",
    "ctrl+h": "it is Backspace",
    "ctrl+i": "it is Tab",
    "ctrl+m": "it is Enter",
    **{f"alt+{number % 10}": f"it stands for F{number}" for number in range(1, 11)},
}


def unusable(key: str) -> str:
    """Why no terminal can give a key to an action, or nothing."""
    return _UNUSABLE.get(key, "")


@dataclass(frozen=True, slots=True)
class KeyMap:
    """Keys to actions, and what is wrong with the person's own choices."""

    actions: dict[str, str]
    """Key to action id, or to a command's id."""
    keys: dict[str, tuple[str, ...]]
    problems: tuple[str, ...] = field(default=())

    def first_key(self, id: str) -> str:
        """The key to show for an action, or nothing."""
        keys = self.keys.get(id, ())
        return spoken(keys[0]) if keys else ""

    def all_keys(self, id: str) -> str:
        """Every key of an action, as shown."""
        return ", ".join(spoken(key) for key in self.keys.get(id, ()))


def key_map(own: Mapping[str, Sequence[str]], is_command: "frozenset[str]" = frozenset()) -> KeyMap:
    """The defaults with the person's own keys: those replace all keys of their action and win over other defaults."""
    problems: list[str] = []
    actions: dict[str, str] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for id, wanted in own.items():
        if id not in BY_ID and id not in is_command:
            problems.append(f"{id[:40]}: no such action or command")
            continue
        taken: list[str] = []
        for key in map(normal, wanted):
            if key in _UNUSABLE:
                problems.append(f"{spoken(key)} cannot be used for {id}: {_UNUSABLE[key]}")
            elif key in actions:
                problems.append(f"{spoken(key)} is wanted by {actions[key]} and {id}; {actions[key]} gets it")
            else:
                actions[key] = id
                taken.append(key)
        keys[id] = tuple(taken)
    for action in ACTIONS:
        if action.id in keys:
            continue
        free = tuple(key for key in action.keys if key not in actions)
        lost = [key for key in action.keys if key in actions]
        if lost and not free:
            problems.append(f"{action.title} has no key left: {spoken(lost[0])} now does {actions[lost[0]]}")
        keys[action.id] = free
        actions.update(dict.fromkeys(free, action.id))
    if "ctrl+space" in actions:
        actions["ctrl+@"] = actions["ctrl+space"]  # as most terminals send it
    # Some terminals and desktops keep the function keys for themselves.
    actions.update({f"alt+{number % 10}": actions[f"f{number}"] for number in range(1, 11) if f"f{number}" in actions})
    return KeyMap(actions, keys, tuple(problems))


_SPOKEN = {
    "plus": "+", "minus": "-", "asterisk": "*", "slash": "/", "full_stop": ".", "backslash": "\\", "underscore": "_",
    "pageup": "PgUp", "pagedown": "PgDn", "insert": "Ins", "delete": "Del", "enter": "Enter", "space": "Space",
    "backspace": "Backspace", "tab": "Tab", "escape": "Esc", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "home": "Home", "end": "End", "ctrl": "Ctrl", "shift": "Shift", "alt": "Alt", "comma": ",",
    "question_mark": "?", "exclamation_mark": "!",
}  # fmt: skip
_SIGNS = {spoken: name for name, spoken in _SPOKEN.items() if len(spoken) == 1 and not spoken.isalpha()}
_WORDS = {spoken.lower(): name for name, spoken in _SPOKEN.items()}


def spoken(key: str) -> str:
    """A key as it is written for people: `Ctrl+PgUp`, `F5`, `Alt+.`."""
    return "+".join(_SPOKEN.get(part, part.upper() if len(part) <= 3 else part) for part in key.split("+"))


def normal(key: str) -> str:
    """A key as people write it, in the form the program knows: `Ctrl+PgUp` is `ctrl+pageup`, `+` is `plus`."""
    key = key.strip()
    head, _, last = key.rpartition("+") if key != "+" and not key.endswith("++") else (key[:-2], "", "+")
    parts = [part for part in head.lower().split("+") if part]
    last = _SIGNS.get(last) or _WORDS.get(last.lower()) or last.lower()
    order = ("ctrl", "alt", "shift")
    return "+".join([part for part in order if part in parts] + [last])
