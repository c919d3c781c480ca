"""What can be done: one noun per module, one small function per command."""

from importlib import import_module

# The order in which tools are listed: what an agent needs first comes first.
_NOUNS = """
    state navigation cursor view tabs dialogs panes palette app
    operations awaiting file decisions jobs history
    filter selection bookmarks settings
""".split()


def register() -> None:
    """Declare every command."""
    for noun in _NOUNS:
        import_module(f"cmdr.commands.{noun}")
