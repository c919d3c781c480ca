"""Resource sets: named bags of entries that can be combined, shown and operated on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from cmdr.commands.places import pane_of
from cmdr.commands.shell_sessions import place_in, units_of
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault
from cmdr.model.names import to_wire
from cmdr.model.tab import Found
from cmdr.model.units import count

if TYPE_CHECKING:
    from cmdr.index.answers import Answers
    from cmdr.index.setshelf import SetInfo

Action = Literal["create", "list", "get", "add", "remove", "union", "intersect", "subtract", "delete", "open"]
SAMPLES = 5


@command("resource_set", access=Access.VIEW, toolset="index", ids=("resource-set-ops",))
async def resource_set(
    call: Call,
    *,
    action: Action,
    set: str | None = None,
    name: str | None = None,
    nodes: list[str] | None = None,
    paths: list[str] | None = None,
    other: str | None = None,
) -> str:
    """Make, change, combine or open sets of entries."""
    library = await call.commander.indexing.library()
    shelf = library.sets
    if action == "list":
        mine = await call.commander.indexing.sets.all(call.principal)
        return "\n".join([count(len(mine), "set"), *(_line(call, info) for info in mine)])
    places: list[str | bytes] = [*(nodes or ()), *(place_in(call, path) for path in paths or ())]
    if action == "create":
        info = await in_thread(shelf.create, await index_of(call, places), name or "set", places)
        await call.commander.indexing.sets.own(info.id, call.principal)
        return f"Created {_told(call, info)}"
    if set is None:
        raise CommandError(f'{action} needs "set": one of your sets, by id or name.')
    set = await call.commander.indexing.sets.find(set, call.principal)
    match action:
        case "get":
            page = await in_thread(shelf.page, set, 0, SAMPLES)
            info = await in_thread(shelf.info, set)
            rows = [f"{entry.node} {entry.member.state} {to_wire(entry.member.path)}" for entry in page.members]
            return "\n".join([_told(call, info), *rows])
        case "add":
            return f"Added: {_told(call, await in_thread(shelf.add, set, places))}"
        case "remove":
            return f"Removed: {_told(call, await in_thread(shelf.take_out, set, places))}"
        case "delete":
            await in_thread(shelf.delete, set)
            return f"Deleted set {set}; the files in it stay"
        case "open":
            return await show_set(call, set)
        case "union" | "intersect" | "subtract":
            if other is None:
                raise CommandError(f'{action} needs "other": another of your sets, by id or name.')
            other = await call.commander.indexing.sets.find(other, call.principal)
            info = await in_thread(shelf.combine, action, set, other, name)
            await call.commander.indexing.sets.own(info.id, call.principal)
            return f"{action}: {_told(call, info)}"


async def show_set(call: Call, set: str) -> str:
    """Show the members of a set in the focused pane."""
    set = await call.commander.indexing.sets.find(set, call.principal)
    paths = await call.commander.indexing.sets.members(set, call.principal)
    library = await call.commander.indexing.library()
    info = await in_thread(library.sets.info, set)
    root = (await in_thread(library.info, info.index_id)).root
    found = Found(f"set {info.name}", below(root, paths))
    tab = await call.browser.open_found(pane_of(call.workspace, "focused"), root, found)
    return f"Opened set {set} in the focused pane\ntotalFiles: {len(tab.listing)} rev: {tab.rev}"


def below(root: bytes, paths: Iterable[bytes]) -> tuple[bytes, ...]:
    """Paths as seen from a folder they are below; others are left out."""
    start = root.rstrip(b"/") + b"/"
    return tuple(path.removeprefix(start) for path in paths if path.startswith(start))


def _line(call: Call, info: SetInfo) -> str:
    return f"{info.id} {info.name}: {count(info.count, 'entry', 'entries')}, {size_text(info.bytes, units_of(call))}"


def _told(call: Call, info: SetInfo) -> str:
    return f"{_line(call, info)}\nentries: {call.commander.base_url}/api/resource-sets/{info.id}/entries"


async def index_of(call: Call, places: list[str | bytes]) -> str:
    """The index that knows all these places."""
    first = next((place for place in places if isinstance(place, bytes)), None)
    if first is not None:
        answers = await call.commander.indexing.knowing(first)
        if answers is None:
            raise CommandError(f'No index knows {to_wire(first)}. Run index {{"root": …}} first.')
        return answers.indexed.record.id
    library = await call.commander.indexing.library()
    for info in await in_thread(library.indexes):
        answers = await in_thread(library.get, info.id)
        if await in_thread(_knows_all, answers, places):
            return info.id
    raise CommandError("create needs nodes of one index, or paths below an indexed folder.")


def _knows_all(answers: Answers, places: list[str | bytes]) -> bool:
    try:
        for place in places:
            answers.row(place)
    except IndexFault:
        return False
    return bool(places)
