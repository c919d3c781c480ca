"""The whole workspace as a short text: both panes with their rows, volumes, jobs and dialogs."""

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from cmdr.commands._paths import PaneRef, pane_of
from cmdr.core.admission.limits import MAX_ANSWER_CHARACTERS, MAX_ROWS_CHARACTERS
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole, Words
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.settings import SETTINGS
from cmdr.model.actions import ACTIONS
from cmdr.model.filters.filter import KIND_WORDS
from cmdr.model.job import Job
from cmdr.model.names import to_wire
from cmdr.model.panes.agent_view import AgentView
from cmdr.model.panes.entry import Entry, Kind
from cmdr.model.panes.listing import Listing
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.tab import Tab, ViewMode
from cmdr.model.panes.workspace import Dialog, DialogType, Volume, volume_of
from cmdr.model.results.result import PlainText
from cmdr.model.units import iso_date, iso_time
from cmdr.model.yaml_text import Plain, Value, document, quoted_name

DEFAULT_ROWS = 50
Detail = Literal["names", "short", "full"]


class ManyRows(PlainText):
    """A state whose rows were asked for in number: up to 500 of them are told."""

    __slots__ = ()
    max_characters = MAX_ROWS_CHARACTERS


@command("state", access=Access.READ, toolset="panes", idempotent=True)
def state(
    call: Call,
    *,
    pane: PaneRef | None = None,
    limit: Annotated[int | None, Whole(0, 500), Doc("rows a pane")] = None,
    detail: Detail | None = None,
    kind: Annotated[Literal["file", "dir"] | None, Words({**KIND_WORDS})] = None,
) -> PlainText | Awaitable[PlainText]:
    """Both panes with their rows, volumes, jobs and dialogs, as YAML."""
    workspace = call.workspace
    limit, wanted = DEFAULT_ROWS if limit is None else limit, _Rows(detail, kind)
    panes = [pane_of(workspace, pane)] if pane else list(workspace.panes)
    if all(_is_known(call, shown, limit, wanted) for shown in panes):
        return _text(call, panes, limit, wanted)  # mostly nobody has to wait for anything
    return _looked_up(call, panes, limit, wanted)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Which rows are wanted, and how much of each."""

    detail: Detail | None
    kind: Literal["file", "dir"] | None

    def takes(self, listing: Listing, place: int) -> bool:
        """Whether the row at this place is of the kind."""
        return self.kind is None or (self.kind == "dir") == (listing.order[place] < listing.columns.folder_count)


async def _looked_up(call: Call, panes: list[Pane], limit: int, wanted: _Rows) -> PlainText:
    for _ in range(3):
        listings = [shown.tab.listing for shown in panes]
        await asyncio.gather(*(_look_up(call, shown, limit, wanted) for shown in panes))
        # One pane may have been read again while the other was looked at; its new rows want a look too.
        if all(shown.tab.listing is listing for shown, listing in zip(panes, listings, strict=True)):
            break
    return _text(call, panes, limit, wanted)


def _text(call: Call, panes: list[Pane], limit: int, wanted: _Rows) -> PlainText:
    shown_rows = max(end - start for start, end in (_window(call, shown.tab, limit, wanted) for shown in panes))
    if limit <= DEFAULT_ROWS:
        return PlainText(_fitting(lambda rows: _format_state(call, panes, rows, wanted), shown_rows))
    return ManyRows(_fitting(lambda rows: _format_state(call, panes, rows, wanted), shown_rows, MAX_ROWS_CHARACTERS))


def _format_state(call: Call, panes: list[Pane], limit: int, wanted: _Rows) -> str:
    workspace = call.workspace
    before: dict[str, Value] = {
        "focused": workspace.focused.value,
        "showHidden": workspace.show_hidden,
        "rev": workspace.rev,
    }
    volumes = workspace.volumes
    between = call.commander.text_cache.text(
        "volumes", volumes, lambda: document({"volumes": [volume.name for volume in volumes]})
    )
    after: dict[str, Value] = {}
    if running := [_job(job) for job in call.commander.jobs.running()]:
        after["jobs"] = running
    if reviews := [case for case in call.commander.services.waiting_reviews() if case.owner == call.principal.id]:
        after["reviews"] = [f"{case.id} {case.subject}" for case in reviews]
    if workspace.dialogs:
        after["dialogs"] = _dialogs(call)
    if isinstance(workspace, AgentView) and workspace.differs:
        after["person"] = _persons(workspace)
    told = [_pane_text(call, shown, limit, wanted) for shown in panes]
    return "".join([document(before), *told, between, document(after) if after else ""])


def _persons(view: AgentView) -> dict[str, Value]:
    """What the person has, where the agent's own view is another: few words, for every state tells them."""
    told: dict[str, Value] = {"focused": view.shared.focused.value}
    for pane in view.panes:
        tab = view.shared.pane(pane.side).person_tab
        if tab is pane.tab:
            continue
        name = tab.cursor_name()
        chosen = [f"{tab.selection.count} selected"] if tab.selection.count else []
        told[pane.side.value] = ", ".join(
            [
                f"{tab.id} {quoted_name(to_wire(tab.path))}",
                *([f"cursor {quoted_name(to_wire(name))}"] if name else []),
                *chosen,
            ]
        )
    return told


def _fitting(text_with: Callable[[int], str], limit: int, most: int = MAX_ANSWER_CHARACTERS) -> str:
    """The text with as many rows as an answer may hold: everything else stays whole."""
    text = text_with(limit)
    if limit > 0 and len(text) > most:
        rest = len(text_with(0))
        share = (most - rest) / (len(text) - rest)
        while len(text) > most and limit > 0:
            limit = max(0, int(limit * min(share, 0.9)))
            text, share = text_with(limit), 0.9
    return text


def _job(job: Job) -> str:
    return f"{job.id} {job.state} {job.progress.items_done} of {job.progress.items_total}: {job.title}"


def _dialogs(call: Call) -> list[dict[str, Value]]:
    dialogs, shows = call.workspace.dialogs, call.commander.desktop.shows
    seen = [dialog for dialog in dialogs if shows is None or shows(dialog)]
    return [
        {
            **_dialog(dialog, front=dialog is seen[-1] if seen else False, waits=dialog not in seen),
            **(_settings(call, dialog) if dialog.type is DialogType.SETTINGS else {}),
        }
        for dialog in dialogs
    ]


def _settings(call: Call, dialog: Dialog) -> dict[str, Value]:
    """What the open settings show: the values of the section, or of all, and the keys where those are shown."""
    settings, section = call.commander.settings, dialog.section.value if dialog.section else None
    told: dict[str, Value] = {}
    values: dict[str, Value] = {
        key: settings.get(key) for key, one in SETTINGS.items() if section in (None, one.section.value)
    }
    if values:
        told["settings"] = values
    own = settings.shortcuts
    if section == "shortcuts":
        told["shortcuts"] = {
            one.id: ", ".join(own.get(one.id, one.keys)) for one in ACTIONS if one.keys or one.id in own
        }
    elif own:
        told["shortcuts"] = {action: ", ".join(keys) for action, keys in own.items()}
    return told


def _dialog(dialog: Dialog, *, front: bool, waits: bool) -> dict[str, Value]:
    told: dict[str, Value] = {"type": dialog.type.value}
    if dialog.section:
        told["section"] = dialog.section.value
    if dialog.path is not None:
        told["path"] = to_wire(dialog.path)
    if dialog.pane:
        told["pane"] = dialog.pane.value
    if dialog.proposal:
        told["proposal"] = dialog.proposal
    if front:
        told["focused"] = True
    if waits:
        told["waiting"] = True
    return told


def _window(call: Call, tab: Tab, limit: int, wanted: _Rows) -> tuple[int, int]:
    """The first row that is told, and the one after the last."""
    start, end, listing = call.workspace.first_row(tab), len(tab.listing), tab.listing
    if wanted.kind is not None and not (listing.columns.facts and listing.columns.facts.are_changes):
        # Folders come before files in every order but that by growth.
        folders = bisect_left(listing.order, True, key=lambda row: row >= listing.columns.folder_count)
        start, end = (max(start, folders), end) if wanted.kind == "file" else (min(start, folders), folders)
    return start, min(start + limit, end)


def _is_known(call: Call, pane: Pane, limit: int, wanted: _Rows) -> bool:
    """Whether all that a pane's text tells is known, so that nothing has to be asked of the disk or an index."""
    tab, listing = pane.tab, pane.tab.listing
    if wanted.detail == "names":
        return True
    if wanted.detail or tab.view is ViewMode.FULL:
        start, end = _window(call, tab, limit, wanted)
        return not call.commander.index_version and listing.looked_up.keys() >= set(listing.order[start:end])
    return not len(listing) or listing.order[tab.cursor] in listing.looked_up


async def _look_up(call: Call, pane: Pane, limit: int, wanted: _Rows) -> None:
    """Make known what the text tells."""
    for _ in range(3):  # a pane that moves on meanwhile is looked at again, one that never rests is told as it is
        tab, listing = pane.tab, pane.tab.listing
        if wanted.detail == "names":
            return
        if wanted.detail or tab.view is ViewMode.FULL:
            await call.commander.look_up(tab, *_window(call, tab, limit, wanted))
        elif len(listing):
            await call.browser.facts.look_up(tab, tab.cursor, tab.cursor + 1)
        if pane.tab.listing is listing:
            return


def _pane_text(call: Call, pane: Pane, limit: int, wanted: _Rows) -> str:
    """The text, ready to stand in the state; kept while everything it tells is the same."""
    volumes, tab, listing = call.workspace.volumes, pane.tab, pane.tab.listing
    start, end = window = _window(call, tab, limit, wanted)
    rows = listing.order[start:end]
    made_of = (
        volumes,
        *(tab, tab.path, tab.found, tab.view, tab.sort, tab.rev, tab.problem),
        *(start, end, tab.cursor, tab.selection, tab.selection.version),
        *(listing, listing.order, listing.complete),
        *map(listing.looked_up.get, rows),
        *map(listing.folder_sizes.get, rows),
        listing.looked_up.get(listing.order[tab.cursor]) if len(listing) else None,
        *((other.id, other.path, other.pinned) for other in pane.tabs),
    )
    return call.commander.text_cache.text(
        (pane.side, tab.id, limit, wanted),
        made_of,
        lambda: document({pane.side.value: _pane_facts(volumes, pane, window, wanted)}),
    )


def _pane_facts(volumes: tuple[Volume, ...], pane: Pane, window: tuple[int, int], wanted: _Rows) -> dict[str, Value]:
    tab = pane.tab
    listing = tab.listing
    start, end = window
    volume = volume_of(tab.path, volumes)
    told: dict[str, Value] = {
        "volume": volume.name if volume else None,
        "path": to_wire(tab.path),
        **({"shows": tab.found.title} if tab.found else {}),
        "view": tab.view.value,
        "sort": str(tab.sort),
        "rev": tab.rev,
        "totalFiles": len(listing),
    }
    if tab.problem:
        told["problem"] = tab.problem
    if not listing.complete:
        told["loading"] = True
    if listing.hidden_count:
        told["hiddenFiles"] = listing.hidden_count
    told["loadedRange"] = [start, end]
    if len(listing):
        told["cursor"] = _cursor(tab, with_facts=tab.view is ViewMode.BRIEF and wanted.detail is None)
    told["selected"] = tab.selection.count
    if len(pane.tabs) > 1 or tab.pinned:
        told["tabs"] = [_tab(other, active=other is tab) for other in pane.tabs]
    else:
        told["tab"] = tab.id
    told["files"] = [_row(tab, place, wanted.detail) for place in range(start, end) if wanted.takes(listing, place)]
    return told


def _cursor(tab: Tab, *, with_facts: bool) -> dict[str, Value]:
    told: dict[str, Value] = {"index": tab.cursor}
    entry = tab.listing.entry(tab.cursor)
    if with_facts:
        told["name"] = to_wire(entry.name)
        if facts := entry.facts:
            if entry.kind is not Kind.FOLDER:
                told["size"] = facts.size
            if facts.created_ns is not None:
                told["created"] = Plain(iso_date(facts.created_ns))
            told["lastModified"] = Plain(iso_date(facts.modified_ns))
    return told


def _tab(tab: Tab, *, active: bool) -> str:
    marks = (" [active]" if active else "") + (" [pinned]" if tab.pinned else "")
    return f"{tab.id} {quoted_name(to_wire(tab.path))}{marks}"


def _row(tab: Tab, position: int, detail: Detail | None) -> str:
    entry = tab.listing.entry(position)
    row = f"i:{position} {entry.kind} {quoted_name(to_wire(entry.name))}"
    if detail in ("short", "full") or (detail is None and tab.view is ViewMode.FULL):
        looked = tab.listing.order[position] in tab.listing.looked_up
        row += _facts(entry, exact=detail == "full") if looked else " pending"
    if position == tab.cursor:
        row += " [cur]"
    if tab.listing.order[position] in tab.selection:
        row += " [sel]"
    return row


def _facts(entry: Entry, *, exact: bool) -> str:
    facts = entry.facts
    if facts is None:
        return " gone"
    tell = iso_time if exact else iso_date
    told = "" if entry.kind is Kind.FOLDER else f" {facts.size}b"
    if entry.folder_size is not None:
        told = f" {entry.folder_size.mark}{entry.folder_size.bytes}b"
    # The seed's rows show no dates for folders; only a caller that asks for everything gets them.
    if entry.kind is not Kind.FOLDER or exact:
        if facts.created_ns is not None:
            told += f" cr:{tell(facts.created_ns)}"
        told += f" lm:{tell(facts.modified_ns)}"
    return told + (f" mode:{facts.mode & 0o7777:04o}" if exact else "")
