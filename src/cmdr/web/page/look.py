"""The settings that decide how the page looks and listens."""

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json

_FLAGS = {
    "keyBar": "appearance.key_bar",
    "colours": "appearance.file_colours",
    "activity": "agents.activity",
    "search": "general.quick_search",
    "parentRow": "general.parent_row",
    "wrap": "advanced.viewer_wrap",
}


def look_told(commander: Commander) -> dict[str, Json]:
    """What is chosen."""
    settings = commander.settings
    flags: dict[str, Json] = {name: settings.flag(key) for name, key in _FLAGS.items()}
    return {"theme": settings.text("appearance.theme"), **flags}
