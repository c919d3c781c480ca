"""The names that sets and saved queries are given: short, and the same wherever they are shown."""

from cmdr.index.errors import BadQuestion
from cmdr.model.names import printable

LONGEST = 80


def given_name(name: str) -> str:
    """The name itself; refused when it is empty, long, or holds what does not show as itself."""
    plain = name.replace("\\", "")  # a backslash shows, and is only doubled where names of files are told
    if not name.strip() or len(name) > LONGEST or printable(plain, LONGEST) != plain:
        raise BadQuestion(f'A name has 1 to {LONGEST} printable characters; "{printable(name, 40)}" has not.')
    return name
