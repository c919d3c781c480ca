"""The program itself: quitting, about, stepping aside, logging a browser in."""

from cmdr import __version__
from cmdr.commands.panes.file import is_seen
from cmdr.core.changes.unfinished import unfinished
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.model.names import to_wire
from cmdr.model.panes.workspace import DialogType
from cmdr.model.results.app import Opened
from cmdr.model.results.result import Said


@command("quit", access=Access.VIEW, toolset="panes", ids=("app.quit",), lasting=True)
def quit_app(call: Call) -> Said:
    """Quit cmdr."""
    if not call.principal.is_person:
        if call.commander.desktop.suspend is not None:
            raise NotAllowed("The person has cmdr open in their terminal. Ask them to quit.")
        if call.commander.desktop.pages:
            raise NotAllowed("The person has cmdr open in their browser. Ask them to quit.")
        if left := unfinished(call.commander):
            raise CommandError(f"Not now: {', '.join(left)}. Ask the person to quit.")
    elif unsaved := call.commander.services.unsaved_files():
        raise CommandError(f"{to_wire(unsaved[0])} has unsaved text. Save it or close it, then quit.")
    return quit_anyway(call)


@command("app.quitAnyway", access=Access.ACT, title="Quit without saving")
def quit_anyway(call: Call) -> Said:
    """Quit, whatever is unsaved or under way."""
    call.commander.quitting.set()
    return Said("Quitting")


@command("app.giveWay", access=Access.ACT, title="Quit if nothing is under way")
def give_way(call: Call) -> Said:
    """Quit, unless something is under way or waits for an answer."""
    if left := unfinished(call.commander):
        raise CommandError(f"{', '.join(left)}.")
    call.commander.quitting.set()
    return Said("Quitting")


@command("app.about", access=Access.VIEW, title="About cmdr")
def about(call: Call) -> Opened:
    """Show the version and where to read more."""
    workspace = call.workspace
    present = next(iter(workspace.dialogs_of(DialogType.ABOUT)), None)
    if present is None:
        present = workspace.open_dialog(DialogType.ABOUT, call.principal.id)
        call.events.changed()
    return Opened(present.id, DialogType.ABOUT, what=f" (cmdr {__version__})", is_seen=is_seen(call, present))


@command("app.hide", access=Access.VIEW, title="Suspend to the shell")
def hide(call: Call) -> Said:
    """Step aside and give the terminal back to the shell."""
    suspend = call.commander.desktop.suspend
    if not call.principal.is_person:
        raise NotAllowed("Only the person steps aside to the shell: it takes their screen.")
    if suspend is None:
        raise CommandError("cmdr runs without a terminal here; there is nothing to hide.")
    suspend()
    return Said("Suspended to the shell")


@command("web.link", access=Access.ACT, title="Log a browser in")
def web_link(call: Call) -> Said:
    """Make a link that logs one browser in as you; it works once, for a minute."""
    if call.commander.new_login_link is None:
        raise CommandError("The server is not running, so there is no page to open.")
    return Said(call.commander.new_login_link())
