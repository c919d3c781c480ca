"""Who owns a file, by name."""

import pwd


def user(uid: int) -> str:
    """A user's name, or the number when nobody has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)
