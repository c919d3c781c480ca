"""Windows about the work itself: help, palette, jobs, approvals, history, agents, settings, quitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.units import count
from cmdr.tui.actions import action

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen


@action("help")
def help_window(screen: MainScreen) -> None:
    """Every key."""
    from cmdr.tui.windows.text_window import TextWindow, help_rows
    from cmdr.tui.windows.window import FULL_HEIGHT

    screen.terminal.push_screen(TextWindow("Keys", help_rows(screen.keys), lines=FULL_HEIGHT))


@action("palette")
def palette(screen: MainScreen) -> None:
    """Every command and action by name."""
    from cmdr.tui.windows.pickers import palette_window, run_choice

    screen.terminal.ask(palette_window(screen), lambda value: run_choice(screen, value))


@action("quit")
def quit_app(screen: MainScreen) -> None:
    """Quit; while text is unsaved or jobs run, ask first."""
    from cmdr.tui.windows.choose import Choice, Choose

    unsaved, running = screen.commander.services.unsaved_files(), screen.commander.jobs.running()
    if unsaved:
        heading, fate = f"{count(len(unsaved), 'file')} with unsaved text", "what was typed is lost"
    elif running and screen.commander.settings.flag("general.confirm_quit"):
        heading, fate = f"{count(len(running), 'job')} still running", "finished items stay; the rest is cancelled"
    else:
        screen.enqueue("quit")
        return
    screen.terminal.ask(
        Choose(heading, [Choice("stay", "Stay"), Choice("quit", "Quit", fate)]),
        lambda value: screen.enqueue("app.quitAnyway") if value == "quit" else None,
    )


@action("undo")
def undo(screen: MainScreen) -> None:
    """Take back the last operation."""
    screen.terminal.operate("undo", {}, sure=False)


@action("history")
def history(screen: MainScreen) -> None:
    """What was done, and undo for any of it."""
    from cmdr.tui.changes.history import History

    screen.terminal.push_screen(History(screen))


@action("jobs")
def jobs(screen: MainScreen) -> None:
    """What is running and waiting."""
    from cmdr.tui.changes.jobs import JobsWindow

    screen.terminal.push_screen(JobsWindow(screen))


@action("approvals")
def approvals(screen: MainScreen) -> None:
    """What waits for the person: proposals, edits, questions, what failed, and windows that agents opened."""
    from cmdr.tui.inbox.inbox import open_inbox

    open_inbox(screen)


@action("agents")
def agents(screen: MainScreen) -> None:
    """Who is connected and what they did."""
    from cmdr.tui.windows.agents import AgentsWindow

    screen.terminal.push_screen(AgentsWindow(screen))


@action("stop_agents")
def stop_agents(screen: MainScreen) -> None:
    """The kill switch: at once, without asking. Allowing them again is done in the window of the agents."""
    screen.enqueue("agents.stop", show_answer=True)


@action("settings")
def settings(screen: MainScreen) -> None:
    """The settings."""
    screen.enqueue("dialog", {"action": "open", "type": "settings"})
