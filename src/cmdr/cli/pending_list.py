"""What waits for the person, as a list to read."""

from collections.abc import Mapping, Sequence
from typing import Any

from cmdr.model.agent_text import framed, wrapped
from cmdr.model.units import count

Waiting = Mapping[str, Sequence[Any]]


_INDENT = "    "


def pending_lines(waiting: Waiting, width: int = 80) -> list[str]:
    """One short block for each thing that waits, with the words that answer it; no line is wider than `width`."""
    lines: list[str] = []
    for proposal in waiting["proposals"]:
        lines.append(f"{proposal['id']}  {proposal['plan']}")
        if proposal["what"]:
            lines.append(f"    {proposal['what']}")
        lines.append(f"    proposed by {proposal['by']}")
        lines += [_INDENT + line for line in framed("who", proposal["reason"], width - len(_INDENT))]
    for edit in waiting["edits"]:
        lines += [f"{edit['id']}  Edit {edit['path']}", f"    {edit['changes']}, proposed by {edit['by']}"]
    for question in waiting["questions"]:
        lines += [
            f"{question['id']}  {question['title']}",
            f"    asks about {question['taken']}, which {question['about']}",
        ]
    if lines:
        lines.append("Answer with: cmdr approve ID, or cmdr reject ID")
    lines += _interrupted_lines(waiting.get("interrupted", ()))
    told = [*waiting.get("warnings", ()), *(lines or ["Nothing waits for you."])]
    told += _expired_lines(waiting.get("expired", ()))
    return [piece for line in told for piece in wrapped(line, width)]


def _interrupted_lines(interrupted: Sequence[Mapping[str, str]]) -> list[str]:
    """What was cut short, and the words that go on with it."""
    lines: list[str] = []
    for job in interrupted:
        lines += [f"{job['id']}  {job['title']}", f"    {job['state']}, by {job['by']}"]
    words = "Go on: cmdr resume ID. Take it back: cmdr undo ID. Leave it: cmdr leave ID"
    return [*lines, words] if lines else []


def _expired_lines(expired: Sequence[Mapping[str, str]]) -> list[str]:
    """What nobody answered in time, told once."""
    if not expired:
        return []
    lines = [f"{count(len(expired), 'proposal')} expired while you were away; each waits ten minutes:"]
    return [*lines, *(f"    {proposal['plan']}, proposed by {proposal['by']}" for proposal in expired)]
