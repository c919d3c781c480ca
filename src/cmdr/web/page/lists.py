"""The lists behind the page's windows: commands, places, history, agents, settings."""

import os
import time

from cmdr import __version__
from cmdr.core.agents.client_rights import ClientRights, client_rights
from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.core.settings import SETTINGS, Setting
from cmdr.core.threads import in_thread
from cmdr.http.browser_login import BROWSER
from cmdr.model.history import HistoryEntry
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.workspace import Volume
from cmdr.model.plans.plan_text import TAKEN_NAMES
from cmdr.model.report_kinds import REPORT_KINDS
from cmdr.model.units import human_size
from cmdr.web.page.rows import Style, announce
from cmdr.web.page.state import call_line

MAX_OPERATIONS = 200
MAX_CALLS = 50


# What the page's own windows do better, or what only makes sense with arguments that a program fills in.
_COVERED = frozenset(
    """state command commands_list dialogs_available inbox agents agents.undo agents.undoOffer rules.list
    proposal.show reviews open_diff selection.toggle settings.list
    grants.list cursor.up_row app.quitAnyway app.hide history.list jobs.list bookmark.list
    context_get_selection context_get_current_paths context_get_focused_pane file.copyPath file.copyFilename
    file.quickLook file.getInfo pane.leftVolumeChooser pane.rightVolumeChooser web.link
    nav_to_parent nav_back nav_forward open_under_cursor refresh toggle_hidden switch_pane folder.size filter
    copy move delete rename mkdir mkfile app.giveWay app.access history.entries await inspect
    history.beginning session_preferences query_run query_list close_all_diff_tabs get_diagnostics""".split()
)
_FOR_PROGRAMS = frozenset({"fs", "ide", "shell"})
"""Toolsets whose answers are text for a program."""


def commands_json(commander: Commander) -> list[Json]:
    """What the palette offers beside the page's own actions: commands that need no answer to a question first."""
    return [
        {
            "name": command.name,
            "id": command.id,
            "title": command.title,
            "about": command.description,
        }
        for command in commander.available(BROWSER)
        if command.is_in_palette
        and command.name not in _COVERED
        and command.toolset not in _FOR_PROGRAMS
        and not any(parameter.required for parameter in command.parameters)
    ]


def about_json(commander: Commander) -> list[Json]:
    """What this program is and where it keeps things."""
    return [
        ["Version", __version__],
        ["Agents", f"{commander.base_url}/mcp"],
        ["Settings", commander.settings.path or "not kept"],
        ["Process", str(os.getpid())],
    ]


def places_json(commander: Commander) -> dict[str, Json]:
    """Bookmarks, the folders used most, those the tab in front has been in, and the volumes."""
    workspace = commander.workspace
    tab = workspace.pane(workspace.focused).tab
    visited = dict.fromkeys(visit.path for visit in reversed(tab.history.visits) if visit.path != tab.path)
    return {
        "visited": [to_wire(path) for path in visited],
        "volumes": [_volume(commander, volume) for volume in workspace.volumes],
        "bookmarks": [to_wire(path) for path in commander.bookmarks.marked()],
        "frequent": [to_wire(path) for path in commander.bookmarks.frequent(limit=20)],
    }


def _volume(commander: Commander, volume: Volume) -> Json:
    # A remote one may not answer for a long time.
    space = None if volume.remote else commander.space.at(volume.path, lambda: announce(commander))
    free = f" · {human_size(space.free)} free of {human_size(space.total)}" if space else ""
    return {"name": printable(volume.name, 80), "about": f"{to_wire(volume.path)} · {volume.kind}{free}"}


async def history_json(commander: Commander) -> dict[str, Json]:
    """What was done to files, newest first, and what came before it and could not go on."""
    style = Style.chosen(commander)
    done: list[Json] = [_operation(entry, style) for entry in await commander.engine.history(MAX_OPERATIONS)]
    return {"done": done, "begins": [damage.told() for damage in await commander.engine.damage()]}


def _operation(entry: HistoryEntry, style: Style) -> Json:
    becomes = "" if entry.new_name is None else f" → {to_wire(entry.new_name)}"
    return {
        "id": entry.id,
        "when": style.date(int(entry.started * 1e9)),
        "verb": entry.verb.value,
        "state": entry.undone or entry.state.value,
        "failed": entry.failed,
        "what": to_wire(entry.title) + becomes + (f" and {entry.total - 1} more" if entry.total > 1 else ""),
        "to": None if entry.destination is None else to_wire(entry.destination),
        "by": printable(entry.by.partition(":")[2], 60),
    }


async def agents_json(commander: Commander) -> dict[str, Json]:
    """Who may call and what they called last."""
    tokens, style = commander.tokens, Style.chosen(commander)
    clients = () if tokens is None else await in_thread(tokens.clients)
    return {
        "stopped": commander.policy.agents_stopped,
        "clients": [_client(client) for client in client_rights(commander, clients)],
        "calls": [
            {
                "told": call_line(seen),
                "when": style.date(int(seen.started * 1e9)),
                "result": seen.result or "running",
                "ms": seen.ms,
            }
            for seen in list(commander.activity.recent)[: -MAX_CALLS - 1 : -1]
        ],
    }


def _client(client: ClientRights) -> Json:
    folders = [to_wire(root.path) + (" (read only)" if root.read_only else "") for root in client.roots]
    return {
        "name": printable(client.name, 60),
        "toolsets": [*client.toolsets],
        "folders": [*folders],
        "readOnly": client.read_only,
        "expired": client.expires is not None and client.expires <= time.time(),
        "calls": client.calls,
        "shell": client.shell.value,
        "write": client.write.value,
        "hasToken": client.has_own_token,
    }


def texts_json() -> dict[str, Json]:
    """What windows offer: the reports there are, and what can be done about a name that is taken."""
    return {
        "reports": [{"value": kind, "text": title, "about": about} for kind, title, about in REPORT_KINDS],
        "taken": [[value, text] for value, text in TAKEN_NAMES],
    }


def settings_json(commander: Commander) -> list[Json]:
    """Every setting with what is chosen."""
    return [_setting(commander, setting) for setting in SETTINGS.values()]


def _setting(commander: Commander, setting: Setting) -> Json:
    return {
        "key": setting.key,
        "section": setting.section.value,
        "title": setting.title,
        "value": commander.settings.get(setting.key),
        "choices": [*setting.choices],
    }
