"""The reports on a folder that open in a pane, with their titles."""

REPORT_KINDS: tuple[tuple[str, str, str], ...] = (
    ("largest-files", "Largest files", "what takes the room"),
    ("largest-dirs", "Largest folders", "with all they hold"),
    ("recent", "Changed last", "the newest first"),
    ("growth", "Grown and shrunk", "what has changed in size in the last week"),
    ("duplicates", "Equal files", "the same contents more than once"),
    ("empty", "Empty", "files and folders with nothing in them"),
    ("broken-links", "Broken links", "they lead nowhere"),
)
