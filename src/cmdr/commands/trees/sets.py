"""Resource sets: named bags of entries that can be combined, shown and operated on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from cmdr.commands._paths import own_pane
from cmdr.commands.trees.sessions import place_in, units_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Also, Doc, Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault
from cmdr.index.store.handles import is_node_handle
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.tab import FoundEntries
from cmdr.model.results.indexes import Forgotten, SetCard, SetEntries, SetList, SetShown
from cmdr.model.results.result import Said
from cmdr.model.units import count, total_text
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries
    from cmdr.index.store.sets import ResourceSets
    from cmdr.model.trees.sets import SetInfo, SetMember

Action = Literal["create", "list", "get", "add", "remove", "union", "intersect", "subtract", "delete", "open"]
SAMPLES, MAX_SAMPLES = 5, 20
PAGE_SIZE = 50
"""Members of a page, unless more or fewer are asked for."""


@command("resource_set", access=Access.VIEW, toolset="index", ids=("resource-set-ops",))
async def resource_set(
    call: Call,
    *,
    action: Action,
    set: str | None = None,
    name: str | None = None,
    nodes: Annotated[list[str] | None, Unlisted()] = None,
    paths: Annotated[list[str] | None, Doc("or node ids")] = None,
    other: str | None = None,
    cursor: Annotated[str | None, Unlisted()] = None,
    limit: Annotated[int, Whole(0, MAX_SAMPLES, cut=True), Unlisted()] = SAMPLES,
) -> Said:
    """Make, change, combine or open sets of files found."""
    library = await call.commander.indexing.library()
    sets = library.sets
    if action == "list":
        mine = await call.commander.indexing.sets.all(call.principal)
        return Said("\n".join([count(len(mine), "set"), *(_line(call, info) for info in mine)]))
    places: list[str | bytes] = [
        *(nodes or ()),
        *(path if is_node_handle(path) else place_in(call, path) for path in paths or ()),
    ]
    if action == "create":
        return Said(f"Created {_format_set(call, await _made(call, await _index_of(call, places), name, places))}")
    if set is None:
        raise CommandError(f'{action} needs "set": one of your sets, by id or name.')
    named, set = set, await call.commander.indexing.sets.find(set, call.principal)
    match action:
        case "get":
            return Said(await _format_members(call, sets, set, limit, cursor))
        case "add" | "remove":
            return Said(await _changed(call, sets, action, set, places))
        case "delete":
            # Sets that were made before a name meant one of them go together; else the name would mean an older one.
            more = 0 if named == set else await call.commander.indexing.sets.forget_namesakes(set, call.principal)
            await in_thread(sets.delete, set)
            return Said(f"Deleted {count(1 + more, 'set')}: {quoted_name(named)}; the files in it stay")
        case "open":
            return Said(await show_set(call, set))
        case "union" | "intersect" | "subtract":
            if other is None:
                raise CommandError(f'{action} needs "other": another of your sets, by id or name.')
            other = await call.commander.indexing.sets.find(other, call.principal)
            if name is not None:
                name = await call.commander.indexing.sets.new_name(name, call.principal)
            info = await in_thread(sets.combine, action, set, other, name)
            await call.commander.indexing.sets.own(info.id, call.principal)
            return Said(f"{action}: {_format_set(call, info)}")


async def _found(call: Call, named: str) -> tuple[ResourceSets, str]:
    """The sets and the id of a set that the caller may see, by its id or name."""
    found = await call.commander.indexing.sets.find(named, call.principal)
    return (await call.commander.indexing.library()).sets, found


@command("set.list", access=Access.READ, toolset="index", programs_only=True)
async def list_sets(call: Call) -> SetList:
    """Your sets."""
    return SetList(tuple(await call.commander.indexing.sets.all(call.principal)))


@command("set.create", access=Access.VIEW, toolset="index", programs_only=True)
async def create(
    call: Call,
    *,
    name: str,
    nodes: Annotated[list[str] | None, Also(("paths",))] = None,
    index_id: str | None = None,
) -> SetCard:
    """Make a set of nodes: ids, or paths."""
    places: list[str | bytes] = [*(nodes or ())]
    return SetCard(await _made(call, index_id or await _index_of(call, places), name, places))


@command("set.show", access=Access.READ, toolset="index", programs_only=True)
async def show(call: Call, *, set_id: str) -> SetShown:
    """A set at a glance, with a few of its members."""
    sets, set_id = await _found(call, set_id)
    info = await in_thread(sets.info, set_id)
    return SetShown(info, (await in_thread(sets.page, set_id, SAMPLES)).members, call.commander.base_url)


@command("set.rename", access=Access.VIEW, toolset="index", programs_only=True)
async def rename(call: Call, *, set_id: str, name: str) -> SetCard:
    """Give a set another name."""
    sets, set_id = await _found(call, set_id)
    if (await in_thread(sets.info, set_id)).name != name:
        name = await call.commander.indexing.sets.new_name(name, call.principal)
    return SetCard(await in_thread(sets.rename, set_id, name))


@command("set.delete", access=Access.VIEW, toolset="index", programs_only=True)
async def delete(call: Call, *, set_id: str) -> Forgotten:
    """Forget a set; the files in it stay."""
    sets, set_id = await _found(call, set_id)
    await in_thread(sets.delete, set_id)
    return Forgotten(set_id)


@command("set.entries", access=Access.READ, toolset="index", programs_only=True)
async def entries(
    call: Call, *, set_id: str, limit: Annotated[int, Whole(0, 1000)] = PAGE_SIZE, cursor: str | None = None
) -> SetEntries:
    """The members of a set, a page at a time, and what has become of each."""
    sets, set_id = await _found(call, set_id)
    info = await in_thread(sets.info, set_id)
    page = await in_thread(sets.page, set_id, limit, cursor)
    return SetEntries(set_id, info.index_id, page.total, page.members, page.cursor, limit)


@command("set.add", access=Access.VIEW, toolset="index", programs_only=True)
async def add(call: Call, *, set_id: str, nodes: Annotated[list[str], Also(("paths",))]) -> SetCard:
    """Put nodes into a set."""
    sets, set_id = await _found(call, set_id)
    return SetCard(await in_thread(sets.add, set_id, nodes))


@command("set.change", access=Access.VIEW, toolset="index", programs_only=True)
async def change(call: Call, *, set_id: str, add: list[str] | None = None, remove: list[str] | None = None) -> SetCard:
    """Put nodes into a set and take others out, all or none."""
    sets, set_id = await _found(call, set_id)
    return SetCard(await in_thread(sets.change, set_id, add or (), remove or ()))


@command("set.remove", access=Access.VIEW, toolset="index", programs_only=True)
async def remove(call: Call, *, set_id: str, nodes: Annotated[list[str], Also(("paths",))]) -> SetCard:
    """Take nodes out of a set."""
    sets, set_id = await _found(call, set_id)
    return SetCard(await in_thread(sets.take_out, set_id, nodes))


async def _made(call: Call, index: str, name: str | None, places: list[str | bytes]) -> SetInfo:
    """A new set of the caller's."""
    library, sets = await call.commander.indexing.library(), call.commander.indexing.sets
    info = await in_thread(library.sets.create, index, await sets.new_name(name, call.principal), places)
    await sets.own(info.id, call.principal)
    return info


async def _format_members(call: Call, sets: ResourceSets, set: str, limit: int, cursor: str | None) -> str:
    page = await in_thread(sets.page, set, limit, cursor)
    rows = [_row(entry) for entry in page.members]
    if page.cursor is not None:
        rows.append(f'… {page.after} more: resource_set {{"action": "get", "set": "{set}", "cursor": "{page.cursor}"}}')
    return "\n".join([_format_set(call, await in_thread(sets.info, set)), *rows])


def _row(entry: SetMember) -> str:
    """A member in a line: what has become of it, and of a moved one where it is now."""
    now = "" if entry.path_now in (None, entry.path) else f" → {quoted_name(to_wire(entry.path_now or b''))}"
    return f"{entry.node} {entry.state} {quoted_name(to_wire(entry.path))}{now}"


async def _changed(
    call: Call, sets: ResourceSets, action: Literal["add", "remove"], set: str, places: list[str | bytes]
) -> str:
    """Put places in or take them out, and say how many that changed something."""
    if not places:
        raise CommandError(f'{action} needs "paths" or "nodes".')
    before = (await in_thread(sets.info, set)).count
    info = await in_thread(sets.add if action == "add" else sets.take_out, set, places)
    changed = abs(info.count - before)
    done, others = ("Added", "in it already") if action == "add" else ("Removed", "not in it")
    rest = f" ({len(places) - changed} {others})" if changed < len(places) else ""
    return f"{done} {changed}{rest}: {_format_set(call, info)}"


async def show_set(call: Call, set: str) -> str:
    """Show the members of a set in the focused pane."""
    set = await call.commander.indexing.sets.find(set, call.principal)
    paths = await call.commander.indexing.sets.members(set, call.principal)
    library = await call.commander.indexing.library()
    info = await in_thread(library.sets.info, set)
    root = (await in_thread(library.info, info.index_id)).root
    found = FoundEntries(f"set {info.name}", below(root, paths))
    tab = await call.browser.open_found(own_pane(call, "focused"), root, found)
    return f"Opened set {set} in the focused pane\ntotalFiles: {len(tab.listing)} rev: {tab.rev}"


def below(root: bytes, paths: Iterable[bytes]) -> tuple[bytes, ...]:
    """Paths as seen from a folder they are below; others are left out."""
    start = root.rstrip(b"/") + b"/"
    return tuple(path.removeprefix(start) for path in paths if path.startswith(start))


def _line(call: Call, info: SetInfo) -> str:
    return f"{info.id} {info.name}: {count(info.count, 'entry', 'entries')}, {total_text(info.bytes, units_of(call))}"


def _format_set(call: Call, info: SetInfo) -> str:
    return f"{_line(call, info)}\nentries: {call.commander.base_url}/api/resource-sets/{info.id}/entries"


async def _index_of(call: Call, places: list[str | bytes]) -> str:
    """The index that knows all these places."""
    first = next((place for place in places if isinstance(place, bytes)), None)
    best = None if first is None else await call.commander.indexing.covering_entry(first)
    if first is not None and best is None:
        raise CommandError(f'No index knows {to_wire(first)}. Run index {{"root": …}} first.')
    if best is not None and await in_thread(_first_unknown, best, places) is None:
        return best.indexed.record.id
    # The one that knows the first best may be of a folder that others are not in.
    library = await call.commander.indexing.library()
    for info in await in_thread(library.indexes) if places else ():
        if await in_thread(_first_unknown, await in_thread(library.get, info.id), places) is None:
            return info.id
    if best is None or first is None:
        raise CommandError("create needs nodes of one index, or paths below an indexed folder.")
    unknown = await in_thread(_first_unknown, best, places) or first
    told = printable(unknown) if isinstance(unknown, str) else to_wire(unknown)
    raise CommandError(f"No index knows {told} together with {to_wire(first)}. Index a folder above both.")


def _first_unknown(answers: IndexQueries, places: list[str | bytes]) -> str | bytes | None:
    """The first of these places that an index does not know."""
    for place in places:
        try:
            answers.row(place)
        except IndexFault:
            return place
    return None
