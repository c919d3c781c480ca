"""What can be done: one folder per concern, one module per noun, one small function per command.

A new command is a function in one of these modules; a new module is a name in one of the two lists below.
"""

from importlib import import_module

from cmdr.core.dispatch.registry import REGISTRY

# The order in which tools are listed: what an agent needs first comes first.
# What the terminal face needs before its first paint; nothing here imports anything heavy.
_FIRST = """
    panes.state panes.navigation panes.cursor panes.selection panes.view panes.tabs panes.agent_tabs app.dialogs
    panes.panes app.palette app.app changes.operations changes.links panes.file changes.proposals changes.inbox
    agents.permissions changes.jobs changes.history app.settings changes.renaming changes.trash editor.texts
    editor.review_answers
""".split()
_THEN = """
    changes.awaiting changes.archives agents.fs_texts agents.fs_reading trees.sessions trees.indexes trees.queries
    trees.saved_queries trees.contents trees.content_index trees.sets trees.find trees.reports editor.review
    editor.replacing editor.ide agents.fs_diff changes.attributes agents.fs_writing agents.context agents.shell
    agents.rules agents.turns
""".split()


def register_first() -> None:
    """Declare the commands of the panes, so that they can be shown; `register` declares the rest."""
    for module in _FIRST:
        import_module(f"{__name__}.{module}")


def register() -> None:
    """Declare every command."""
    modules = [f"{__name__}.{module}" for module in (*_FIRST, *_THEN)]
    for module in modules:
        import_module(module)
    REGISTRY.arrange(modules)
