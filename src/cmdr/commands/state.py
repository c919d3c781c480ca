"""The whole workspace as a short text."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

from cmdr.commands.pane_text import Detail, is_known, look_up, pane_text, window
from cmdr.commands.places import PaneRef, pane_of
from cmdr.core.call import Call
from cmdr.core.parameter import Doc, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.spoken import LONGEST_ANSWER
from cmdr.model.job import Job
from cmdr.model.names import to_wire
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.workspace import Dialog
from cmdr.model.yaml_text import Value, document

ROWS = 50


@command("state", access=Access.READ, toolset="panes", idempotent=True, always_loaded=True, plain=True)
def state(
    call: Call,
    *,
    pane: PaneRef | None = None,
    limit: Annotated[int | None, Whole(0, 500), Doc("rows a pane")] = None,
    detail: Detail | None = None,
) -> str | Awaitable[str]:
    """Both panes with their rows, volumes, jobs and dialogs, as YAML."""
    workspace = call.workspace
    limit = ROWS if limit is None else limit
    panes = [pane_of(workspace, pane)] if pane else list(workspace.panes)
    if all(is_known(call, shown, limit, detail) for shown in panes):
        return _text(call, panes, limit, detail)  # mostly nobody has to wait for anything
    return _looked_up(call, panes, limit, detail)


async def _looked_up(call: Call, panes: list[Pane], limit: int, detail: Detail | None) -> str:
    for _ in range(3):
        listings = [shown.tab.listing for shown in panes]
        await asyncio.gather(*(look_up(call, shown, limit, detail) for shown in panes))
        # One pane may have been read again while the other was looked at; its new rows want a look too.
        if all(shown.tab.listing is listing for shown, listing in zip(panes, listings, strict=True)):
            break
    return _text(call, panes, limit, detail)


def _text(call: Call, panes: list[Pane], limit: int, detail: Detail | None) -> str:
    shown_rows = max(end - start for start, end in (window(shown.tab, limit) for shown in panes))
    return _fitting(lambda rows: _told(call, panes, rows, detail), shown_rows)


def _told(call: Call, panes: list[Pane], limit: int, detail: Detail | None) -> str:
    workspace = call.workspace
    before: dict[str, Value] = {
        "focused": workspace.focused.value,
        "showHidden": workspace.show_hidden,
        "rev": workspace.rev,
    }
    volumes = workspace.volumes
    between = call.commander.kept_texts.text(
        "volumes", volumes, lambda: document({"volumes": [volume.name for volume in volumes]})
    )
    after: dict[str, Value] = {}
    if running := [_job(job) for job in call.commander.jobs.running()]:
        after["jobs"] = running
    if reviews := [case for case in call.commander.rooms.waiting_reviews() if case.owner == call.principal.id]:
        after["reviews"] = [f"{case.id} {to_wire(case.review.new_path)}" for case in reviews]
    if workspace.dialogs:
        after["dialogs"] = _dialogs(call)
    told = [pane_text(call, shown, limit, detail) for shown in panes]
    return "".join([document(before), *told, between, document(after) if after else ""])


def _fitting(text_with: Callable[[int], str], limit: int) -> str:
    """The text with as many rows as an answer may hold: everything else stays whole."""
    text = text_with(limit)
    if limit > 0 and len(text) > LONGEST_ANSWER:
        rest = len(text_with(0))
        share = (LONGEST_ANSWER - rest) / (len(text) - rest)
        while len(text) > LONGEST_ANSWER and limit > 0:
            limit = max(0, int(limit * min(share, 0.9)))
            text, share = text_with(limit), 0.9
    return text


def _job(job: Job) -> str:
    return f"{job.id} {job.state} {job.progress.items_done} of {job.progress.items_total}: {job.title}"


def _dialogs(call: Call) -> list[dict[str, Value]]:
    dialogs, shows = call.workspace.dialogs, call.commander.desktop.shows
    seen = [dialog for dialog in dialogs if shows is None or shows(dialog)]
    return [
        _dialog(dialog, front=dialog is seen[-1] if seen else False, waits=dialog not in seen) for dialog in dialogs
    ]


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
