"""Resource sets: named bags of entries that can be combined, shown and operated on."""

from typing import Literal

from cmdr.commands.places import pane_of
from cmdr.commands.shell_sessions import place_in
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.index.answers import Answers
from cmdr.index.errors import IndexFault
from cmdr.index.setshelf import SetInfo
from cmdr.model.names import to_wire

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
    """Make, change, combine or show (open) sets of entries."""
    library = await call.commander.indexing.library()
    shelf = library.sets
    if action == "list":
        mine = [info for info in await in_thread(shelf.all) if is_mine(call, info.id)]
        return "\n".join([f"{len(mine)} sets", *(_line(info) for info in mine)])
    places: list[str | bytes] = [*(nodes or ()), *(place_in(call, path) for path in paths or ())]
    if action == "create":
        info = await in_thread(shelf.create, await index_of(call, places), name or "set", places)
        await call.commander.indexing.own(info.id, call.principal)
        return f"Created {_told(call, info)}"
    if set is None:
        raise CommandError(f'{action} needs "set": the id of one of your sets.')
    call.commander.indexing.check_owner(set, call.principal)
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
                raise CommandError(f'{action} needs "other": the id of another of your sets.')
            call.commander.indexing.check_owner(other, call.principal)
            info = await in_thread(shelf.combine, action, set, other, name)
            await call.commander.indexing.own(info.id, call.principal)
            return f"{action}: {_told(call, info)}"


def is_mine(call: Call, set: str) -> bool:
    """Whether a set belongs to the caller."""
    try:
        call.commander.indexing.check_owner(set, call.principal)
    except CommandError:
        return False
    return True


async def show_set(call: Call, set: str) -> str:
    """Show the members of a set in the focused pane."""
    paths = await call.commander.indexing.members_of(set, call.principal)
    library = await call.commander.indexing.library()
    info = await in_thread(library.sets.info, set)
    root = (await in_thread(library.info, info.index_id)).root
    tab = await call.browser.open_found(pane_of(call.workspace, "focused"), root, paths, f"set {info.name}")
    return f"Opened set {set} in the focused pane\ntotalFiles: {len(tab.listing)} rev: {tab.rev}"


def _line(info: SetInfo) -> str:
    return f"{info.id} {info.name}: {info.count} entries, {size_text(info.bytes)}"


def _told(call: Call, info: SetInfo) -> str:
    return f"{_line(info)}\nentries: {call.commander.base_url}/api/resource-sets/{info.id}/entries"


async def index_of(call: Call, places: list[str | bytes]) -> str:
    """The index that knows all these places."""
    first = next((place for place in places if isinstance(place, bytes)), None)
    if first is not None:
        answers = await call.commander.indexing.covering(first)
        if answers is None:
            raise CommandError(f'No index covers {to_wire(first)}. Run index {{"root": …}} first.')
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
