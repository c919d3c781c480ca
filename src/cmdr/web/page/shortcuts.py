"""The person's own keys, as the page needs them: the same settings that the terminal obeys."""

from cmdr.core.commander import Commander
from cmdr.core.errors import UnknownCommand
from cmdr.core.parameter import Json


def shortcuts_told(commander: Commander) -> list[Json]:
    """Every choice in the order of the settings; a command is told with its title, an action without."""
    return [
        {"id": id, "keys": [*keys], "title": _title(commander, id)} for id, keys in commander.settings.shortcuts.items()
    ]


def _title(commander: Commander, id: str) -> str:
    try:
        command = commander.registry.find(id)
    except UnknownCommand:
        return ""
    return command.title if command.id == id and command.is_in_palette else ""
