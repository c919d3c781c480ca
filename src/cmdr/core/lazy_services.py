"""The services that panes alone never need: the editor for agents, their shells, their code.

Each is built, and its libraries loaded, at its first use; the panes stand on the screen before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.core.agents.code_execution import CodeExecution
    from cmdr.core.agents.shell_commands import ShellCommands
    from cmdr.core.agents.trust import TrustRequests
    from cmdr.core.audit.log import Audit
    from cmdr.core.changes.jobs import Jobs
    from cmdr.core.editing.editor_services import EditorServices
    from cmdr.core.editing.review_record import ReviewRecord
    from cmdr.core.events import Events
    from cmdr.core.proposals.proposals import Proposals
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.panes.workspace import Workspace


class LazyServices:
    """Builds a service at its first use; stopping and closing touches only those that were built."""

    def __init__(
        self,
        workspace: Workspace,
        events: Events,
        audit: Audit,
        jobs: Jobs,
        sandbox: Sandbox,
        start_folder: bytes,
        trusting: TrustRequests,
        proposals: Proposals,
    ) -> None:
        self._workspace = workspace
        self._events = events
        self._audit = audit
        self._jobs = jobs
        self._sandbox = sandbox
        self._start_folder = start_folder
        self._trusting = trusting
        self._proposals = proposals

    @cached_property
    def shells(self) -> ShellCommands:
        """Where agents' commands run."""
        from cmdr.core.agents.shell_commands import ShellCommands

        return ShellCommands(self._sandbox, self._jobs, self._events, self._audit)

    @cached_property
    def code(self) -> CodeExecution:
        """Where agents' code runs."""
        from cmdr.core.agents.code_execution import CodeExecution

        return CodeExecution(self.shells, self._jobs, self._events, self._audit)

    @cached_property
    def editor(self) -> EditorServices:
        """What makes cmdr an editor for agents."""
        from cmdr.core.editing.editor_services import EditorServices

        world = (self._workspace, self._events, self._audit, self._jobs, self._sandbox, self._start_folder)
        return EditorServices(*world, self._trusting, lambda: self.shells, self._proposals)

    def waiting_reviews(self) -> Sequence[ReviewRecord]:
        """The edits that wait for the person, oldest first."""
        return self.editor.reviews.waiting if self._is_built("editor") else ()

    def unsaved_files(self) -> list[bytes]:
        """The files whose changed text stands only in an editor of cmdr's."""
        if not self._is_built("editor"):
            return []
        return [document.path for document in self.editor.documents.shown() if document.dirty]

    def stop_agents(self) -> None:
        """End what agents run, and drop what they want reviewed."""
        if self._is_built("shells"):
            self.shells.stop_all()
        if self._is_built("code"):
            self.code.stop_all()
        if self._is_built("editor"):
            self.editor.reviews.drop_of_agents()
            self.editor.diagnostics.stop_servers()

    async def close(self) -> None:
        """End everything that is under way in any of them."""
        if self._is_built("editor"):
            await self.editor.close()
        if self._is_built("code"):
            await self.code.close()
        if self._is_built("shells"):
            await self.shells.close()

    def _is_built(self, service: str) -> bool:
        return service in vars(self)
