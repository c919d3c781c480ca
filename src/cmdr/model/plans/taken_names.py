"""What can be done about a name that is taken, in the words of the window that asks where to."""

TAKEN_NAMES: tuple[tuple[str, str], ...] = (
    ("ask", "ask each time"),
    ("skip", "skip it"),
    ("overwrite", "overwrite; the old one goes to the trash"),
    ("rename", "keep both, with a new name"),
    ("newer", "overwrite only what is older"),
    ("larger", "overwrite only what is smaller"),
)
