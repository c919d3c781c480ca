"""What can be done: one noun per module, one small function per command."""

from importlib import import_module

from cmdr.core.dispatch.registry import REGISTRY

# The order in which tools are listed: what an agent needs first comes first.
# What the terminal face needs before its first paint; nothing here imports anything heavy.
_FIRST = """
    state navigation cursor selection view tabs dialogs panes palette app operations links file decisions agents
    browser_login naming jobs history filter bookmarks settings compare bulk_rename trash texts
    review_answers mentioning
""".split()
_THEN = """
    awaiting archives shell_sessions indexes nodes queries sets find folder_size reports report_panes review ide
    fs_reading fs_changes attributes fs_writing context shell execution grants trust index_export
""".split()


def register_first() -> None:
    """Declare the commands of the panes, so that they can be shown; `register` declares the rest."""
    for noun in _FIRST:
        import_module(f"cmdr.commands.{noun}")


def register() -> None:
    """Declare every command."""
    modules = [f"cmdr.commands.{noun}" for noun in (*_FIRST, *_THEN)]
    for module in modules:
        import_module(module)
    REGISTRY.arrange(modules)
