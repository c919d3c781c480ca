"""What waits for the person, as a list to read."""

from collections.abc import Mapping, Sequence

Waiting = Mapping[str, Sequence[Mapping[str, str]]]


def pending_lines(waiting: Waiting) -> list[str]:
    """One short block for each thing that waits, with the words that answer it."""
    lines: list[str] = []
    for proposal in waiting["proposals"]:
        lines.append(f"{proposal['id']}  {proposal['plan']}")
        if proposal["what"]:
            lines.append(f"    {proposal['what']}")
        lines.append(f"    proposed by {proposal['by']}")
        if proposal["reason"]:
            lines.append(f'    who says: "{proposal["reason"]}"')
    for edit in waiting["edits"]:
        lines += [f"{edit['id']}  Edit {edit['path']}", f"    {edit['changes']}, proposed by {edit['by']}"]
    for question in waiting["questions"]:
        lines += [f"{question['id']}  {question['title']}", f"    asks about {question['taken']}, which is taken"]
    if not lines:
        return ["Nothing waits for you."]
    return [*lines, "Answer with: cmdr approve ID, or cmdr reject ID"]
