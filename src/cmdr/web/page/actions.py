"""The table of actions as the page reads it: what there is, what each is called, and which key does what by now."""

import json
import zlib

from cmdr import __version__
from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.model.actions import BY_ID, ENTRY_MENU, FOLDER_MENU, SECTIONS, TOP_BAR, Action, Face, offered
from cmdr.model.keys import KeyMap, key_map, spoken, typed

_RESERVED = dict.fromkeys(
    """ctrl+t ctrl+w ctrl+n ctrl+shift+t ctrl+shift+w ctrl+shift+n ctrl+tab ctrl+shift+tab ctrl+pageup ctrl+pagedown
    f12 alt+f4""".split(),
    "it belongs to the browser",
)
"""What browsers keep for themselves: a page never hears of them."""


def page_keys(own: dict[str, list[str]], commands: dict[str, str]) -> KeyMap:
    """What each key does in the page; `commands` are titles by id."""
    return key_map(Face.PAGE, own, reserved=_RESERVED, commands=commands)


def actions_tag(commander: Commander) -> str:
    """Another one whenever `actions_json` says something else."""
    return f"{__version__}-{zlib.crc32(json.dumps(commander.settings.shortcuts).encode()):x}"


def actions_json(commander: Commander) -> dict[str, Json]:
    """Every action of the page by section, the commands that the person gave a key, and what the menus hold."""
    own, titles = commander.settings.shortcuts, commander.registry.palette_titles()
    keys, actions = page_keys(own, titles), offered(Face.PAGE)
    return {
        "tag": actions_tag(commander),
        "sections": [
            {
                "name": section,
                "actions": [_action(each, keys, is_own=each.id in own) for each in actions if each.section == section],
            }
            for section in SECTIONS
        ],
        "commands": [
            {"id": id, "title": titles[id], "keys": _shown(keys, id)}
            for id in own
            if id not in BY_ID and keys.keys.get(id)
        ],
        "bound": {typed(key): id for key, id in keys.actions.items()},
        "problems": [*keys.problems],
        "entryMenu": [[*group] for group in ENTRY_MENU],
        "folderMenu": [[*group] for group in FOLDER_MENU],
        "topBar": [*TOP_BAR],
    }


def _action(action: Action, keys: KeyMap, *, is_own: bool) -> Json:
    return {
        "id": action.id,
        "title": action.title,
        "word": action.word,
        "keys": _shown(keys, action.id),
        "isOwn": is_own,
        "risk": action.risk.value,
        "appliesTo": action.applies_to.value,
        "command": action.command,
        "tells": action.tells,
    }


def _shown(keys: KeyMap, id: str) -> list[Json]:
    return [spoken(key) for key in keys.keys.get(id, ())]
