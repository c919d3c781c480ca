"""What can be done: one noun per module, one small function per command."""

from importlib import import_module

# The order in which tools are listed: what an agent needs first comes first.
_NOUNS = """
    state navigation cursor view tabs dialogs panes palette app
    operations awaiting shell_sessions indexes queries sets reports
    file decisions jobs history
    filter selection bookmarks settings compare bulk_rename texts
    fs_reading fs_writing context shell grants
""".split()


def register() -> None:
    """Declare every command."""
    for noun in _NOUNS:
        import_module(f"cmdr.commands.{noun}")
