"""Permissions as boxes for the page: it draws them, and what a tick or a number does to them is decided here."""

from cmdr.core.dispatch.parameter import Json
from cmdr.core.errors import CommandError
from cmdr.core.panes.facts import common_attributes
from cmdr.model.names import printable
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.file_mode import ALL
from cmdr.model.plans.mode_boxes import PEOPLE, RIGHTS, ROWS, SPECIAL, ModeBoxes, bad_octal, modified_hint
from cmdr.model.units import moment


async def attributes_json(chosen: SelectedEntries) -> dict[str, Json]:
    """What the chosen files have, with the words of the window."""
    found, boxes = await common_attributes(chosen), ModeBoxes()
    boxes.know(found.every, found.some)
    then = None if found.modified_ns is None else moment(found.modified_ns)
    return {
        "people": [*PEOPLE],
        "rights": [*RIGHTS],
        "special": [*SPECIAL],
        "bits": [[*row] for row in ROWS],
        "modifiedHint": modified_hint(then),
        "boxes": _json(boxes),
    }


def ticked_json(sent: dict[str, Json]) -> dict[str, Json]:
    """The boxes after one was ticked, or after a number was typed; a number that is none leaves them."""
    boxes, toggle, octal = _boxes(sent.get("boxes")), sent.get("toggle"), sent.get("octal")
    problem = ""
    if isinstance(toggle, int) and any(toggle in row for row in ROWS):
        boxes.toggle(toggle)
    elif isinstance(octal, str):
        problem = "" if boxes.take_octal(octal.strip()) else bad_octal(printable(octal, 40))
    else:
        raise CommandError("Tick one of the boxes, or give a number.")
    return {"boxes": _json(boxes), "problem": problem}


def _json(boxes: ModeBoxes) -> dict[str, Json]:
    bits = [bit for row in ROWS for bit in row]
    return {
        "every": boxes.every,
        "some": boxes.some,
        "ticked": {str(bit): on for bit, on in boxes.ticked.items()},
        "states": {str(bit): boxes.state(bit) for bit in bits},
        "octal": boxes.octal,
        "letters": boxes.letters,
        "wish": boxes.wish,
    }


def _boxes(sent: Json) -> ModeBoxes:
    """The boxes as the page was told of them."""
    if isinstance(sent, dict):
        every, some, ticked = sent.get("every"), sent.get("some"), sent.get("ticked")
        if isinstance(every, int) and isinstance(some, int) and isinstance(ticked, dict):
            known = {bit: ticked.get(str(bit)) for row in ROWS for bit in row}
            return ModeBoxes(every & ALL, some & ALL, {bit: on for bit, on in known.items() if isinstance(on, bool)})
    raise CommandError("The boxes are not as they were told.")
