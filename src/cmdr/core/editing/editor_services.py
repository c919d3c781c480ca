"""All services that make cmdr an editor for agents: reviews, documents, workspace folders, diagnostics, mentions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cmdr.core.editing.diagnostics import EditorDiagnostics
from cmdr.core.editing.documents import Documents, Mentions
from cmdr.core.editing.language_servers import LanguageServers
from cmdr.core.editing.review_writer import ReviewWriter
from cmdr.core.editing.reviews import Reviews
from cmdr.core.editing.text_editor import TextEditor
from cmdr.core.editing.workspace_folders import WorkspaceFolders

if TYPE_CHECKING:
    from cmdr.core.agents.shell_commands import ShellCommands
    from cmdr.core.agents.trust import TrustRequests
    from cmdr.core.audit.log import Audit
    from cmdr.core.changes.jobs import Jobs
    from cmdr.core.events import Events
    from cmdr.core.proposals.proposals import Proposals
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.panes.workspace import Workspace


class EditorServices:
    """Built with the core; nothing in it looks at the disk before `start`."""

    def __init__(
        self,
        workspace: Workspace,
        events: Events,
        audit: Audit,
        jobs: Jobs,
        sandbox: Sandbox,
        start: bytes,
        trusting: TrustRequests,
        shells: Callable[[], ShellCommands],
        proposals: Proposals,
    ) -> None:
        self.reviews = Reviews(events, audit, ReviewWriter(jobs, sandbox.protection), proposals)
        self.documents = Documents(workspace, events)
        self.text = TextEditor(self.documents, self.reviews)
        self.folders = WorkspaceFolders(start, workspace, events, sandbox.private)
        servers = LanguageServers(trusting.trust, sandbox, self.folders, shells, audit)
        self.diagnostics = EditorDiagnostics(self.text, servers)
        trusting.changed = self.diagnostics.restart_servers
        self.mentions = Mentions()
        self.port: int | None = None
        """Where the editor socket listens, while it does."""

    async def start(self) -> None:
        """Look where we are."""
        await self.folders.start()

    async def close(self) -> None:
        """Reject what still waits and is not kept, and end every helper process."""
        self.reviews.close()
        self.folders.close()
        await self.text.close()
        await self.diagnostics.close()
