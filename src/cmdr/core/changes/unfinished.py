"""What would be lost, or left without an answer, if the program ended now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.units import count

if TYPE_CHECKING:
    from cmdr.core.commander import Commander


def unfinished(commander: Commander) -> list[str]:
    """Everything the person has begun or still has to answer, one phrase each; names no files."""
    proposals, edits = len(commander.proposals.pending()), len(commander.services.waiting_reviews())
    found = [
        (len(commander.services.unsaved_files()), "file with unsaved text", "files with unsaved text"),
        (len(commander.jobs.running()), "operation still running", "operations still running"),
        (proposals, "proposal waiting for an answer", "proposals waiting for an answer"),
        (edits, "edit waiting for review", "edits waiting for review"),
    ]
    told = [count(number, one, many) for number, one, many in found if number]
    return [*told, "the person's editor or shell is open"] if commander.desktop.terminal_suspended else told
