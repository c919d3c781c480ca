"""What each action does in the terminal, where that is more than the one command that the table names."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

Deed = Callable[["MainScreen"], None]

ACTIONS: dict[str, Deed] = {}


def action(id: str) -> Callable[[Deed], Deed]:
    """Declare what an action does."""

    def declare(deed: Deed) -> Deed:
        ACTIONS[id] = deed
        return deed

    return declare


def declare_all() -> None:
    """Import the modules that declare actions."""
    for name in ("application", "archives", "cursor", "files", "navigation", "selection", "shell", "view"):
        import_module(f"cmdr.tui.actions.{name}")
