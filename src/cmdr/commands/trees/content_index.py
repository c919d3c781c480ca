"""The index of contents: told what it takes, built and forgotten by the person."""

from cmdr.commands.trees.sessions import place_in
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.index.errors import IndexFault
from cmdr.model.names import to_wire
from cmdr.model.results.indexes import ContentsShown
from cmdr.model.results.result import Said
from cmdr.model.results.trees import ScanStarted


@command("contents.tell", access=Access.ACT, programs_only=True)
async def contents(call: Call, *, root: str) -> ContentsShown:
    """Whether contents of a tree are indexed, and what that takes or would take."""
    library = await call.commander.indexing.library()
    place = place_in(call, root)

    def look() -> ContentsShown:
        info = library.prepare(place)
        tree = library.get(info.id).indexed
        if not tree.scanned:
            raise CommandError(f"{to_wire(info.root)} is not indexed yet; index it first.")
        kept = tree.contents_kept
        if (index := kept.index) is not None:
            facts = index.manifest
            return ContentsShown(info.root, True, facts.docs, facts.text_bytes, facts.size, 0.0, kept.troubles)
        expected = kept.estimate()
        sizes = (expected.files, expected.text_bytes, expected.index_bytes, expected.seconds)
        return ContentsShown(info.root, False, *sizes, kept.troubles)

    try:
        return await in_thread(look)
    except IndexFault as error:
        raise CommandError(str(error)) from error


@command("contents.build", access=Access.ACT, programs_only=True)
async def build_contents(call: Call, *, root: str) -> ScanStarted:
    """Index the contents of an indexed tree, as a job."""
    job = await call.commander.indexing.index_contents(place_in(call, root), call.principal)
    return ScanStarted(job.root, job.id, job.index, call.commander.base_url)


@command("contents.forget", access=Access.ACT, programs_only=True)
async def forget_contents(call: Call, *, root: str) -> Said:
    """Forget the index of the contents of a tree; names stay indexed."""
    library = await call.commander.indexing.library()
    place = place_in(call, root)

    def forget() -> bytes:
        info = library.prepare(place)
        library.get(info.id).indexed.contents_kept.remove()
        return info.root

    try:
        return Said(f"The index of contents of {to_wire(await in_thread(forget))} is forgotten.")
    except IndexFault as error:
        raise CommandError(str(error)) from error
