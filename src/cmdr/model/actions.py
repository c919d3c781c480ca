"""Everything a key can do in the panes, once for all faces: ids, titles, keys, what it acts on, what it risks.

The terminal and the page read this table; neither keeps titles or keys of its own. What a face cannot offer says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Face(StrEnum):
    """Where a person works with the panes."""

    TERMINAL = "terminal"
    PAGE = "page"


class Risk(StrEnum):
    """What an action may do to files once it was confirmed."""

    NONE = "none"
    CHANGES = "changes"
    DESTROYS = "destroys"
    """It can do what no undo takes back."""


class AppliesTo(StrEnum):
    """What an action acts on."""

    NOTHING = "nothing"
    FILE = "file"
    """The file under the cursor."""
    ENTRY = "entry"
    """Whatever is under the cursor."""
    SELECTION = "selection"
    """What is selected, else the entry under the cursor."""
    FOLDER = "folder"
    """The folder that the pane shows."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key can do in the panes."""

    id: str
    """Its name in the settings."""
    title: str
    keys: tuple[str, ...]
    section: str
    word: str = ""
    """A short one for bars: below the panes for function keys, above them in the page."""
    risk: Risk = Risk.NONE
    applies_to: AppliesTo = AppliesTo.NOTHING
    command: str = ""
    """The command it runs, where that is all it does; a face may still have a better way."""
    tells: bool = False
    """Whether the answer of that command is shown."""
    page_keys: tuple[str, ...] = ()
    """Keys in the page, where a browser keeps the usual ones for itself."""
    not_in: Mapping[Face, str] = field(default_factory=dict)
    """The faces that do not offer it, each with the reason."""

    def keys_in(self, face: Face) -> tuple[str, ...]:
        """Its usual keys in a face."""
        return self.page_keys if face is Face.PAGE and self.page_keys else self.keys


def _a(
    id: str,
    title: str,
    keys: str,
    section: str,
    word: str = "",
    on: AppliesTo = AppliesTo.NOTHING,
    risk: Risk = Risk.NONE,
    *,
    runs: str = "",
    tells: str = "",
    page: str = "",
    not_in: Mapping[Face, str] | None = None,
) -> Action:
    own = tuple(page.split())
    return Action(
        id, title, tuple(keys.split()), section, word, risk, on, runs or tells, bool(tells), own, not_in or {}
    )


_FILE, _ENTRY, _SELECTION, _FOLDER = AppliesTo.FILE, AppliesTo.ENTRY, AppliesTo.SELECTION, AppliesTo.FOLDER
_NOTHING, _CHANGES, _DESTROYS = AppliesTo.NOTHING, Risk.CHANGES, Risk.DESTROYS
_NO_TERMINAL = {Face.PAGE: "a browser has no terminal to lend"}
_SAME_DISK = {Face.TERMINAL: "a terminal works on the machine that has the files"}
_FILES, _GO, _SELECT, _VIEW, _TABS, _WORK = SECTIONS = ("Files", "Go", "Select", "View", "Tabs", "Work")

ACTIONS: tuple[Action, ...] = (
    _a("help", "Help", "f1", _WORK, "Help"),
    _a("rename", "Rename", "f2 shift+f6", _FILES, "Rename", _ENTRY, _CHANGES),
    _a("view", "View", "f3", _FILES, "View", _ENTRY),
    _a("edit", "Edit", "f4", _FILES, "Edit", _FILE),
    _a("new_file", "New file", "shift+f4", _FILES, "", _FOLDER, _CHANGES),
    _a("copy", "Copy", "f5", _FILES, "Copy", _SELECTION, _CHANGES),
    _a("copy_here", "Copy under another name here", "shift+f5", _FILES, "", _ENTRY, _CHANGES),
    _a("move", "Move", "f6", _FILES, "Move", _SELECTION, _CHANGES),
    _a("mkdir", "New folder", "f7", _FILES, "Mkdir", _FOLDER, _CHANGES),
    _a("trash", "Move to the trash", "f8 delete", _FILES, "Trash", _SELECTION, _CHANGES),
    _a("delete", "Delete for good", "shift+f8 shift+delete", _FILES, "", _SELECTION, _DESTROYS),
    _a("bulk_rename", "Rename many", "alt+r", _FILES, "", _SELECTION, _CHANGES),
    _a("attributes", "Attributes: permissions and time", "alt+e", _FILES, "", _SELECTION, _CHANGES),
    _a("pack", "Pack into an archive", "alt+f5", _FILES, "", _SELECTION, _CHANGES),
    _a("unpack", "Unpack archives", "alt+f9", _FILES, "", _SELECTION, _CHANGES),
    _a("info", "Info", "alt+i alt+enter", _FILES, "", _ENTRY),
    _a("copy_path", "Copy the path to the clipboard", "alt+c", _FILES, "", _ENTRY, tells="file.copyPath"),
    _a("copy_name", "Copy the name to the clipboard", "alt+n", _FILES, "", _ENTRY, tells="file.copyFilename"),
    _a("download", "Download; several as a zip", "alt+shift+d", _FILES, "", _SELECTION, not_in=_SAME_DISK),
    _a("upload", "Upload into this folder", "alt+shift+u", _FILES, "", _FOLDER, _CHANGES, not_in=_SAME_DISK),
    _a(
        "menu", "What can be done with it", "contextmenu shift+f10", _FILES, "", _ENTRY,
        not_in={Face.TERMINAL: "the right button selects there; “All commands” lists everything"},
    ),
    _a("palette", "All commands", "f9 ctrl+p", _WORK, "Menu"),
    _a(
        "quit", "Quit", "f10 ctrl+q", _WORK, "Quit",
        not_in={Face.PAGE: "closing its tab leaves the page; among all commands, “Quit” ends cmdr for everybody"},
    ),
    _a("undo", "Undo", "ctrl+z", _WORK, "", _NOTHING, _CHANGES),
    _a("history", "History and undo", "ctrl+shift+z alt+z", _WORK, "History"),
    _a("jobs", "Jobs", "ctrl+j", _WORK, "Jobs"),
    _a("approvals", "What waits for you", "ctrl+y", _WORK),
    _a("agents", "Agents", "alt+a", _WORK, "Agents"),
    _a("mention", "Mention to the coding agent", "alt+m", _WORK, "", _SELECTION, tells="mention"),
    _a("stop_agents", "Stop all agents", "ctrl+k", _WORK),
    _a("settings", "Settings", "alt+s", _WORK, "Settings"),
    _a("shell", "Shell in this folder", "alt+x", _WORK, "", _FOLDER, _DESTROYS, not_in=_NO_TERMINAL),
    _a("run", "Run a command here", "exclamation_mark", _WORK, "", _FOLDER, _DESTROYS, not_in=_NO_TERMINAL),
    _a("other_pane", "Other pane", "tab shift+tab", _GO),
    _a("open", "Open", "enter", _GO, "", _ENTRY),
    _a("parent", "Up one folder", "backspace ctrl+up", _GO, "", _FOLDER),
    _a("back", "Back", "alt+left alt+y", _GO, "", _FOLDER, runs="nav_back"),
    _a("forward", "Forward", "alt+right alt+u", _GO, "", _FOLDER, runs="nav_forward"),
    _a("visited", "Folders this tab has been in", "alt+down", _GO),
    _a("root", "Root folder", "ctrl+underscore", _GO),
    _a("home", "Home folder", "alt+h", _GO),
    _a("go_to_path", "Go to path", "ctrl+g", _GO),
    _a("find", "Find", "ctrl+f alt+f7 alt+question_mark", _GO, "Find", _FOLDER),
    _a("report", "Report on this folder", "alt+l", _GO, "", _FOLDER),
    _a("treemap", "What fills this folder", "alt+g", _GO, "Space", _FOLDER),
    _a("bookmarks", "Bookmarks and frequent folders", "ctrl+backslash ctrl+d", _GO, "Places"),
    _a("bookmark_here", "Bookmark this folder", "alt+b", _GO, "", _FOLDER, tells="bookmark.add"),
    _a("open_other", "Folder under the cursor in the other pane", "alt+o", _GO, "", _ENTRY),
    _a("same_folder", "This folder in the other pane", "ctrl+o", _GO, "", _FOLDER),
    _a("swap", "Swap panes", "ctrl+u", _GO, runs="swap_panes"),
    _a("volume", "Volumes", "ctrl+v", _GO),
    _a("left_volume", "Volumes, left pane", "alt+f1", _GO, runs="pane.leftVolumeChooser"),
    _a("right_volume", "Volumes, right pane", "alt+f2", _GO, runs="pane.rightVolumeChooser"),
    _a("refresh", "Read again", "ctrl+r", _GO, "", _FOLDER, runs="refresh"),
    _a("up", "Cursor up", "up", _GO),
    _a("down", "Cursor down", "down", _GO),
    _a("left", "Column to the left, or up a page", "left", _GO),
    _a("right", "Column to the right, or down a page", "right", _GO),
    _a("page_up", "Page up", "pageup", _GO),
    _a("page_down", "Page down", "pagedown", _GO),
    _a("first", "First", "home", _GO),
    _a("last", "Last", "end", _GO),
    _a("mark", "Select and go down", "insert", _SELECT, "", _ENTRY),
    _a("mark_stay", "Select", "space", _SELECT, "", _ENTRY),
    _a("mark_up", "Select upwards", "shift+up", _SELECT, "", _ENTRY),
    _a("mark_down", "Select downwards", "shift+down", _SELECT, "", _ENTRY),
    _a("mark_page_up", "Select a page upwards", "shift+pageup", _SELECT, "", _ENTRY),
    _a("mark_page_down", "Select a page downwards", "shift+pagedown", _SELECT, "", _ENTRY),
    _a("mark_first", "Select up to the first", "shift+home", _SELECT, "", _ENTRY),
    _a("mark_last", "Select down to the last", "shift+end", _SELECT, "", _ENTRY),
    _a("select_mask", "Select by mask", "plus", _SELECT, "", _FOLDER),
    _a("deselect_mask", "Deselect by mask", "minus", _SELECT, "", _FOLDER),
    _a("invert", "Invert the selection", "asterisk", _SELECT, "", _FOLDER, runs="selection.invert"),
    _a("select_all", "Select all", "ctrl+a", _SELECT, "", _FOLDER, runs="selection.all"),
    _a("select_none", "Select nothing", "ctrl+shift+a alt+minus", _SELECT, "", _FOLDER, runs="selection.none"),
    _a("compare", "Compare the panes", "alt+d", _SELECT),
    _a("filter", "Filter", "slash", _VIEW, "", _FOLDER),
    _a("sort", "Sort", "ctrl+s", _VIEW, "", _FOLDER),
    _a("view_mode", "Brief or full", "ctrl+b", _VIEW, "", _FOLDER),
    _a("hidden", "Hidden files", "alt+full_stop", _VIEW, tells="toggle_hidden"),
    _a("folder_size", "Add up the folder under the cursor", "ctrl+space", _VIEW, "", _ENTRY, tells="folder.size"),
    _a("preview", "Quick view in the other pane", "ctrl+x", _VIEW, "", _ENTRY),
    _a("new_tab", "New tab", "ctrl+t", _TABS, runs="tab.new", page="alt+shift+t"),
    _a("close_tab", "Close tab", "ctrl+w", _TABS, runs="tab.close", page="alt+w"),
    _a("next_tab", "Next tab", "ctrl+pagedown", _TABS, page="alt+pagedown"),
    _a("previous_tab", "Previous tab", "ctrl+pageup", _TABS, page="alt+pageup"),
    _a("pin_tab", "Pin tab", "alt+p", _TABS),
    _a("reopen_tab", "Reopen closed tab", "alt+t", _TABS, runs="tab.reopen"),
)  # fmt: skip

BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}


def _groups(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group.split()) for group in text.split("|"))


ENTRY_MENU = _groups(
    "open view edit | copy move rename trash | attributes pack unpack"
    " | mark_stay info download copy_path copy_name mention"
)
"""What the page offers beside the mouse on an entry, in groups."""
FOLDER_MENU = _groups(
    "new_file mkdir upload | select_all select_mask filter sort hidden | treemap report bookmark_here refresh"
)
"""What it offers where there is no entry."""
TOP_BAR = ("find", "bookmarks", "treemap", "history", "jobs", "agents", "settings", "palette")
"""What it offers above the panes."""


def offered(face: Face) -> tuple[Action, ...]:
    """The actions of a face."""
    return tuple(action for action in ACTIONS if face not in action.not_in)
