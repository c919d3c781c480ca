"""Everything the page shows at one moment, read from the workspace."""

import asyncio
import time

from cmdr.core.agents.activity import SeenCall
from cmdr.core.commander import Commander
from cmdr.core.entrance.browser_login import BROWSER
from cmdr.core.parameter import Json
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.pane import Pane, totals
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Dialog
from cmdr.model.units import human_size
from cmdr.web.page.actions import actions_tag
from cmdr.web.page.jobs import jobs_told, scans_told
from cmdr.web.page.look import look_told
from cmdr.web.page.rows import Rows, Window, Windows
from cmdr.web.page.waiting import edits_waiting, expired_unseen, interrupted_waiting, proposals_waiting

ACTIVITY_SECONDS = 4.0


async def picture(commander: Commander, rows: Rows, windows: Windows) -> dict[str, Json]:
    """What there is to see, with the rows that this page looks at."""
    workspace = commander.workspace
    both = [_pane(commander, rows, pane, windows.get(pane.side, Window())) for pane in workspace.panes]
    panes: dict[str, Json] = dict(
        zip((pane.side.value for pane in workspace.panes), await asyncio.gather(*both), strict=True)
    )
    return {
        "rev": commander.events.rev,
        "focused": workspace.focused.value,
        "hidden": workspace.show_hidden,
        "panes": panes,
        "dialogs": [_dialog(dialog) for dialog in workspace.dialogs if dialog.proposal is None],
        "proposals": proposals_waiting(commander),
        "expired": expired_unseen(commander),
        "edits": edits_waiting(commander),
        "interrupted": interrupted_waiting(commander),
        "warnings": [*commander.warnings.told()],
        "jobs": jobs_told(commander),
        "scans": scans_told(commander),
        "stopped": commander.policy.agents_stopped,
        "activity": _activity(commander),
        "look": look_told(commander),
        "actions": actions_tag(commander),
    }


async def _pane(commander: Commander, rows: Rows, pane: Pane, window: Window) -> Json:
    start, shown = await rows.of(pane.side, pane.tab, window)
    tab = pane.tab
    space = commander.space.at(tab.path, lambda: news(commander))
    return {
        "path": to_wire(tab.path),
        "title": printable(tab.found.title, 80) if tab.found else "",
        "tabs": [{"id": each.id, "name": _tab_name(each), "pinned": each.pinned} for each in pane.tabs],
        "tab": tab.id,
        "sort": tab.sort.by.value,
        "order": tab.sort.direction.value,
        "view": tab.view.value,
        "filter": tab.filter,
        "count": len(tab.listing),
        "cursor": tab.cursor,
        "onParent": tab.on_parent_row,
        "hasParent": tab.has_parent and commander.settings.flag("general.parent_row"),
        "selected": tab.selection.count,
        "totals": totals(tab),
        "free": "" if space is None else f"{human_size(space.free)} free",
        "problem": tab.problem,
        "start": start,
        "rows": shown,
    }


def _tab_name(tab: Tab) -> str:
    return printable(tab.found.title, 40) if tab.found else to_wire(tab.path.rpartition(b"/")[2] or b"/")


def news(commander: Commander) -> None:
    """Something came late that a picture waits for."""
    commander.events.progressed()


def _dialog(dialog: Dialog) -> Json:
    return {
        "id": dialog.id,
        "type": dialog.type.value,
        "mine": dialog.opened_by == BROWSER.id,
        "by": printable(dialog.opened_by.partition(":")[2], 60) if dialog.opened_by.startswith("agent:") else "",
        "path": None if dialog.path is None else to_wire(dialog.path),
    }


def _activity(commander: Commander) -> str:
    recent = commander.activity.recent
    if not recent or (recent[-1].result and time.time() - recent[-1].started > ACTIVITY_SECONDS):
        return ""
    return call_told(recent[-1])


def call_told(seen: SeenCall) -> str:
    """One call of an agent in a line; the words in it are the agent's."""
    about = f" {printable(seen.about)}" if seen.about else ""
    return f"{printable(seen.caller, 40)}: {seen.command}{about}"
