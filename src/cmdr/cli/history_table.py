"""What was done to files, as a table to read."""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

_TITLES = ("ID", "WHEN", "WHAT", "BY", "STATE")


def history_lines(entries: Sequence[Mapping[str, Any]], beginning: Sequence[str] = ()) -> list[str]:
    """One line for each operation, newest first, in columns; what came before the first of them last."""
    if not entries:
        return [*beginning] or ["Nothing has been changed yet."]
    rows = [_TITLES, *(_cells(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*table, *beginning]


def _cells(entry: Mapping[str, Any]) -> tuple[str, ...]:
    when = datetime.fromisoformat(entry["when"]).strftime("%Y-%m-%d %H:%M")
    becomes = f" → {entry['newName']}" if entry.get("newName") else ""
    more = f" and {entry['items'] - 1} more" if entry["items"] > 1 else ""
    to = f" to {entry['to']}" if entry["to"] and entry["to"] != os.path.dirname(entry["first"]) else ""
    told = f"{entry['verb']} {entry['first']}{becomes}{more}{to}"
    return str(entry["operation"]), when, told, entry["by"], _state(entry)


def _state(entry: Mapping[str, Any]) -> str:
    if entry["undoneBy"]:
        return f"undone by {entry['undoneBy']}" + (f", {entry['left']} left" if entry.get("left") else "")
    if entry["state"] == "done" and entry["done"] == entry["items"]:
        return "done"
    return f"{entry['state']}, {entry['done']} of {entry['items']}"
