"""cmdr as the editor of coding agents: the editor socket, and the person's Neovim when there is one."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.cli.launcher import Start
    from cmdr.core.commander import Commander
    from cmdr.core.environment import Environment


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
