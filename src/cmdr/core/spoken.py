"""How answers and errors reach the caller: the errors of lower rooms as the command's own, and never too much text."""

from cmdr.core.admission.limits import MAX_ANSWER_CHARACTERS
from cmdr.core.errors import CommandError, NotThere, Vanished
from cmdr.files.errors import PathNotFound
from cmdr.index.errors import BadHandle, Gone, NoSuchIndex, NoSuchQuery, NoSuchSet, NotIndexed, StaleCursor


def spoken(error: Exception) -> CommandError:
    """The command's error for what a lower room said."""
    if isinstance(error, Gone | StaleCursor):
        return Vanished(str(error))
    if isinstance(error, PathNotFound | NoSuchIndex | NoSuchSet | NoSuchQuery | BadHandle | NotIndexed):
        return NotThere(str(error))
    return CommandError(str(error))


def shortened(answer: str) -> str:
    """An answer of bounded length; one that was cut says so in its last line."""
    if len(answer) <= MAX_ANSWER_CHARACTERS:
        return answer
    kept = answer[: MAX_ANSWER_CHARACTERS - 100]
    kept = kept[: kept.rfind("\n") + 1] or kept
    left_out = answer.count("\n", len(kept))
    return f"{kept}# {left_out} more lines left out; ask for less, with limit or pane\n"
