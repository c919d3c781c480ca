"""What each action does in the terminal, where that is more than the one command that the table names."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

ActionHandler = Callable[["MainScreen"], None]

ACTIONS: dict[str, ActionHandler] = {}


def action(id: str) -> Callable[[ActionHandler], ActionHandler]:
    """Declare what an action does."""

    def declare(handle: ActionHandler) -> ActionHandler:
        ACTIONS[id] = handle
        return handle

    return declare


def register_all() -> None:
    """Import the modules that declare actions."""
    for name in ("application", "archives", "cursor", "files", "navigation", "selection", "shell", "view"):
        import_module(f"cmdr.tui.actions.{name}")
