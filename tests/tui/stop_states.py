"""Every window and state of the terminal face, each with the keys that lead there, for those who stop agents in it."""

import asyncio

from tests.tui.conftest import AGENT

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import NotAllowed
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec
from cmdr.tui.windows.window import GRACE_S

WRITER = Principal("agent", "codex", token=True)


async def _proposed(it):
    await it.commander.run(AGENT, "delete", {"paths": [str(it.left / "file4.txt")]})


async def inbox(it):
    await _proposed(it)
    await it.press("ctrl+y")


async def approval(it):
    await inbox(it)
    it.clock.forward(GRACE_S)
    await it.press("enter")


async def review(it):
    it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)),))
    it.edit = asyncio.ensure_future(
        it.commander.run(WRITER, "open_diff", {"path": str(it.left / "readme.md"), "contents": "# Other\n"})
    )
    await it.until(lambda: it.commander.editor.reviews.waiting)
    await it.press("ctrl+y")
    it.clock.forward(GRACE_S)
    await it.press("enter")


async def question(it):
    await it.press("down", "down", "f5", "enter")
    await it.until(lambda: it.window == "Progress")


async def quick_view(it):
    await it.press("down", "down", "ctrl+x")


async def many_keys(it):
    """Keys that wait for their turn behind a command that hangs."""
    hangs = asyncio.Event()
    it.main.queue.hold_until(hangs)
    it.burst(*("down", "up") * 50)


def keys(*pressed):
    """A state that some keys lead to."""
    return lambda it: it.press(*pressed)


STATES = {
    "panes": ("MainScreen", keys()),
    "quick search": ("MainScreen", keys("f", "i")),
    "filter": ("MainScreen", keys("slash", "f")),
    "quick view": ("MainScreen", quick_view),
    "keys that wait": ("MainScreen", many_keys),
    "F1 help": ("TextWindow", keys("f1")),
    "F9 palette": ("Choose", keys("f9", "c", "o")),
    "Ctrl+F find": ("Find", keys("ctrl+f", "a", "b")),
    "Alt+S settings": ("SettingsWindow", keys("alt+s")),
    "agents": ("AgentsWindow", keys("alt+a")),
    "jobs": ("JobsWindow", keys("ctrl+j")),
    "history": ("History", keys("alt+z")),
    "viewer": ("Viewer", keys("down", "down", "f3")),
    "editor": ("Editor", keys("down", "down", "f4")),
    "info": ("", keys("down", "down", "alt+i")),
    "copy": ("Ask", keys("down", "down", "f5")),
    "move": ("Ask", keys("down", "down", "f6")),
    "trash": ("Confirm", keys("down", "down", "f8")),
    "delete for good": ("Confirm", keys("down", "down", "shift+f8")),
    "new folder with text": ("Ask", keys("f7", "n", "e", "w")),
    "rename": ("Ask", keys("down", "down", "f2")),
    "rename many": ("BulkRename", keys("alt+r", "x")),
    "attributes": ("", keys("down", "down", "alt+e")),
    "pack": ("", keys("down", "down", "alt+f5")),
    "go to path": ("", keys("ctrl+g", "slash")),
    "bookmarks": ("", keys("ctrl+d")),
    "volumes": ("", keys("ctrl+v")),
    "sort": ("", keys("ctrl+s")),
    "select by mask": ("", keys("plus", "asterisk")),
    "treemap": ("", keys("alt+g")),
    "run a command": ("", keys("exclamation_mark", "l", "s")),
    "inbox": ("InboxWindow", inbox),
    "approval": ("Confirm", approval),
    "review": ("ReviewScreen", review),
    "question of a job": ("Progress", question),
}
"""The name of a state, the window in front by then, and what leads there."""


async def refused(it):
    """Whether an agent's next call is refused."""
    try:
        await it.commander.run(AGENT, "state", {})
    except NotAllowed:
        return True
    return False


async def allow(it):
    await it.commander.run(PERSON, "agents.allow", {})
