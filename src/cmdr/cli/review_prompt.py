"""Answering a proposed edit at a shell prompt: the patch, its file, then one question whose usual answer is no."""

from cmdr.cli.launcher import Ask
from cmdr.cli.plan_pages import drop_typed, fits, print_plan, print_words, show_lines
from cmdr.model.unseen import is_blank


def is_review(id: str) -> bool:
    """Whether an id names an edit and not another kind of proposal."""
    return id.startswith("r_")


def confirm_review(ask: Ask, id: str) -> int:
    """Show an edit, ask, and accept exactly what was shown on a yes."""
    shown = ask("review.show", {"review": id}).result
    drop_typed()
    _show(shown["patch"])
    print_plan([f"proposed by {shown['by']}"])
    print_words("the agent", shown["title"], "calls it")
    # Last, where it cannot have scrolled away: the title is the agent's own, and says what it likes.
    was = f"; was {shown['replaces']}" if shown["replaces"] else ""
    print_plan([f"edits {shown['path']}: {shown['amount']}{was}"])
    if shown["word"]:
        typed = input(f"This file {shown['protected']}. Type {shown['word']} to accept, anything else to reject: ")
        yes = typed.strip().lower() == shown["word"]
    else:
        typed = ""
        yes = input("Accept? [y/N] ").strip().lower() in ("y", "yes")
    if not yes:
        return reject_review(ask, id)
    answer = ask("review.accept", {"review": id, "digest": shown["digest"], "word": typed})
    print(answer.words)
    return 0


def reject_review(ask: Ask, id: str) -> int:
    """Say no."""
    print(ask("review.reject", {"review": id}).words)
    return 1


def _show(patch: str) -> None:
    lines = [_inked(line.expandtabs(4)) for line in patch.split("\n")]
    if fits(lines):
        print_plan(lines)
    else:
        show_lines(iter(lines))


def _inked(line: str) -> str:
    """A line of somebody else's text without anything that acts on a terminal."""
    return "".join(
        char if char == "\t" or (char.isprintable() and not is_blank(char)) else f"\\u{{{ord(char):x}}}"
        for char in line
    )
