"""Build the core (the workspace, its rules and its commands), and cmdr as the editor of coding agents."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.app.opening import Opening
    from cmdr.cli.launcher import Start
    from cmdr.core.commander import Commander
    from cmdr.core.environment import Environment


@asynccontextmanager
async def commander_at(
    start: Start, environment: Environment, opening: Opening | None = None
) -> AsyncIterator[Commander]:
    """The core with its commands until this is left; the panes are up, unless a face shows its opening already."""
    from cmdr import commands
    from cmdr.core import places
    from cmdr.core.agents.agent_roots import chosen_roots, open_sandbox
    from cmdr.core.agents.trust import TrustStore
    from cmdr.core.audit.log import Audit
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
    from cmdr.core.dispatch.policy import Policy
    from cmdr.core.panes.bookmarks import Bookmarks
    from cmdr.core.panes.saved_tabs import prepare_workspace
    from cmdr.core.proposals.proposal_store import ProposalStore
    from cmdr.core.settings import Settings
    from cmdr.engine.journal.journal import Journal
    from cmdr.model.panes.workspace import Workspace

    with places.needed():
        state = places.state()
    with places.needed(state):
        if opening is None:
            commands.register()
            workspace = Workspace.at(start.left or os.getcwdb(), start.right or os.path.expanduser(b"~"))
            settings = Settings(places.config())
            prepare_workspace(workspace, settings, None)
        else:
            commands.register_first()
            workspace, settings = opening.workspace, opening.settings
        roots = chosen_roots(start.roots, environment.roots, settings, start.left or os.getcwdb())
        sandbox = open_sandbox(roots, settings)
        bookmarks = Bookmarks(state)
        audit = Audit(os.path.join(state, "audit"))
        try:
            engine = Engine(Journal(os.fsencode(os.path.join(state, "journal.db"))))
        except BaseException:
            audit.close()
            raise
    commander = Commander(
        workspace,
        audit,
        policy=Policy(environment.toolsets, allow_write=environment.allow_write, allow_shell=environment.allow_shell),
        engine=engine,
        sandbox=sandbox,
        settings=settings,
        bookmarks=bookmarks,
        indexes=state,
        start_folder=os.getcwdb(),
        trust=TrustStore(places.state()),
        kept=ProposalStore(state),
        state=state,
    )
    if environment.allow_shell:
        commander.shells.start_probe()
    try:
        if opening is None:
            await commander.start()
        yield commander
    finally:
        await commander.close()


def raise_file_limit() -> None:
    """A thousand clients need more descriptors than the usual soft limit of 1,024."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else max(soft, 65536), hard))


@asynccontextmanager
async def editor_face(
    commander: Commander, start: Start, environment: Environment, tell: Callable[[str], None]
) -> AsyncIterator[None]:
    """cmdr as the editor of coding agents, until this is left; the person's Neovim takes part when there is one."""
    from cmdr.core.errors import CommandError

    if address := start.nvim or os.environ.get("NVIM"):
        try:
            await commander.editor.text.attach(address)
        except CommandError as error:
            tell(str(error))
    if not environment.ide:
        yield
        return
    from cmdr.core.threads import in_thread

    await in_thread(_import_editor_face)
    from cmdr.ide.face import IdeFace

    async with IdeFace(commander).running():
        yield


def _import_editor_face() -> None:
    import cmdr.ide.face  # noqa: F401
