"""Going places: volumes, folders, back and forth, what is under the cursor, bookmarks."""

import os
from contextlib import suppress
from typing import Annotated

from cmdr.commands._paths import PaneRef, own_pane, pane_of, path_of
from cmdr.commands.panes.file import view
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.files.errors import NotAFolder, PathNotFound
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import volume_of
from cmdr.model.results.result import PlainText, Result, Said
from cmdr.model.yaml_text import document


def arrived(tab: Tab, before: Tab | None = None) -> str:
    """How every navigation answers; one that left a tab where it was says that there is another now."""
    told = f"Navigated to {to_wire(tab.path)}\ntotalFiles: {len(tab.listing)} rev: {tab.rev}"
    return told + _beside(tab, before)


def _beside(tab: Tab, before: Tab | None) -> str:
    """What to add when a folder opened in a new tab, because the one before stays what it is."""
    if before is None or tab is before:
        return ""
    return f"\nnew tab: {tab.id} ({before.id} {'is pinned' if before.pinned else 'shows a list'} and stays)"


@command("select_volume", access=Access.VIEW, toolset="panes", idempotent=True)
async def select_volume(call: Call, *, pane: PaneRef, name: str) -> Said:
    """Show a volume by its name."""
    await call.browser.reload_volumes()
    workspace = call.workspace
    volume = next((volume for volume in workspace.volumes if volume.name == name), None)
    if volume is None:
        names = ", ".join(volume.name for volume in workspace.volumes)
        raise CommandError(f'No volume "{printable(name)}". There are: {names}.')
    shown = pane_of(workspace, pane)
    here = volume_of(shown.tab.path, workspace.volumes)
    if here == volume:
        return Said(f"Volume {name} is already shown in the {shown.side} pane")
    shown = own_pane(call, pane)
    before = shown.tab
    tab = await call.browser.open(shown, volume.path)
    told = f"Selected volume {name}\npath: {to_wire(tab.path)} totalFiles: {len(tab.listing)} rev: {tab.rev}"
    return Said(told + _beside(tab, before))


@command("nav_to_path", access=Access.VIEW, toolset="panes", idempotent=True)
async def nav_to_path(call: Call, *, pane: PaneRef, path: str) -> Said:
    """Show a folder in a pane. ~ and relative paths work."""
    shown = own_pane(call, pane)
    before = shown.tab
    return Said(arrived(await call.browser.open(shown, path_of(path, before.path)), before))


@command("nav_to_parent", access=Access.VIEW, toolset="panes", ids=("nav.parent",))
async def nav_to_parent(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Go up one folder."""
    shown = own_pane(call, pane)
    before = shown.tab
    here = before.path
    if here == b"/":
        raise CommandError("/ has no parent.")
    # Who stands in a folder that is gone, with others above it, goes up to the first that is left.
    while here != b"/":
        here, name = os.path.split(here)
        with suppress(PathNotFound):
            return Said(arrived(await call.browser.open(shown, here, cursor=name), before))
    raise PathNotFound(here)


@command("nav_back", access=Access.VIEW, toolset="panes", ids=("nav.back",))
async def nav_back(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Go back in the tab's history."""
    return Said(await _through_history(call, own_pane(call, pane), -1))


@command("nav_forward", access=Access.VIEW, toolset="panes", ids=("nav.forward",))
async def nav_forward(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Go forward in the tab's history."""
    return Said(await _through_history(call, own_pane(call, pane), +1))


async def _through_history(call: Call, pane: Pane, step: int) -> str:
    history = pane.tab.history
    visit = history.peek(step)
    if visit is None:
        raise CommandError(f"Nothing to go {'back' if step < 0 else 'forward'} to.")
    try:
        return arrived(await call.browser.open(pane, visit.path, cursor=visit.cursor, step=step))
    except (PathNotFound, NotAFolder) as error:
        if history.peek(step) is visit:
            history.forget(step)
        raise CommandError(f"{error}. It is out of the history now; repeat to go further.") from error


@command("open_under_cursor", access=Access.VIEW, toolset="panes", ids=("nav.open",))
async def open_under_cursor(call: Call, *, pane: PaneRef = "focused") -> Result:
    """Enter the folder under the cursor, or view the file."""
    shown = pane_of(call.workspace, pane)
    tab = shown.tab
    if tab.on_parent_row:
        return await nav_to_parent(call, pane=pane)
    name = tab.cursor_name()
    if name is None:
        raise CommandError(f"The {shown.side} pane is empty.")
    path = os.path.join(tab.path, name)
    if tab.listing.entry(tab.cursor).is_folder:
        return Said(arrived(await call.browser.open(own_pane(call, pane), path)))
    return view(call, path)


@command("refresh", access=Access.VIEW, toolset="panes", idempotent=True)
async def refresh(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Read a pane's folder again."""
    shown = pane_of(call.workspace, pane)
    await call.browser.refresh(shown.tab)
    return Said(f"Refreshed {shown.side} pane\ntotalFiles: {len(shown.tab.listing)} rev: {shown.tab.rev}")


@command("bookmark.add", access=Access.VIEW, title="Bookmark this folder", lasting=True)
def add(call: Call, *, pane: PaneRef = "focused", path: str | None = None) -> Said:
    """Remember a folder."""
    here = pane_of(call.workspace, pane).tab.path
    target = here if path is None else path_of(path, here)
    call.commander.bookmarks.mark(target)
    call.events.changed()
    return Said(f"Bookmarked {to_wire(target)}")


@command("bookmark.remove", access=Access.VIEW, title="Remove a bookmark", lasting=True)
def remove(call: Call, *, pane: PaneRef = "focused", path: str | None = None) -> Said:
    """Forget a bookmark."""
    here = pane_of(call.workspace, pane).tab.path
    target = here if path is None else path_of(path, here)
    call.commander.bookmarks.unmark(target)
    call.events.changed()
    return Said(f"Removed the bookmark {to_wire(target)}")


@command("bookmark.list", access=Access.READ, title="Bookmarks", idempotent=True)
def list_bookmarks(call: Call) -> PlainText:
    """The bookmarks and the folders used most."""
    bookmarks = call.commander.bookmarks
    return PlainText(
        document(
            {
                "bookmarks": [to_wire(path) for path in bookmarks.marked()],
                "frequent": [to_wire(path) for path in bookmarks.frequent(limit=20)],
            }
        )
    )


@command("nav.jump", access=Access.VIEW, title="Jump to a frequent folder")
async def jump(
    call: Call, *, pane: PaneRef = "focused", text: Annotated[str, Doc("words of the path, in order")]
) -> Said:
    """Go to the folder used most whose path holds the words."""
    shown = pane_of(call.workspace, pane)
    found = next((path for path in call.commander.bookmarks.frequent(text) if path != shown.tab.path), None)
    if found is None:
        raise CommandError(f"No folder visited before matches {printable(text)}.")
    return Said(arrived(await call.browser.open(own_pane(call, pane), found)))
