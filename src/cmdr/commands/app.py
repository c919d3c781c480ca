"""The program itself."""

from cmdr import __version__
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.dialog import DialogType
from cmdr.model.units import count


@command("quit", access=Access.VIEW, toolset="panes", ids=("app.quit",))
def quit_app(call: Call) -> str:
    """Quit cmdr."""
    running = len(call.commander.jobs.running())
    if running and not call.principal.is_person:
        raise CommandError(f"{count(running, 'operation')} still running. Await them, or ask the person to quit.")
    call.commander.quitting.set()
    return "Quitting"


@command("app.about", access=Access.VIEW, title="About cmdr")
def about(call: Call) -> str:
    """Show the version and where to read more."""
    workspace = call.workspace
    if not workspace.dialogs_of(DialogType.ABOUT):
        workspace.open_dialog(DialogType.ABOUT, call.principal.id)
        call.events.changed()
    return f"Opened about (cmdr {__version__})"


@command("app.hide", access=Access.VIEW, title="Suspend to the shell")
def hide(call: Call) -> str:
    """Step aside and give the terminal back to the shell."""
    suspend = call.commander.desktop.suspend
    if suspend is None:
        raise CommandError("cmdr runs without a terminal here; there is nothing to hide.")
    suspend()
    return "Suspended to the shell"
