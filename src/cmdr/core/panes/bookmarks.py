"""Folders to come back to: the ones the person marked, and the ones they visit most and latest."""

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass

from cmdr.core import places
from cmdr.core.dispatch.principals import agent_acts
from cmdr.core.errors import CommandError
from cmdr.model.names import from_wire, to_wire

NAME = "folders.json"
MAX_SAVED_FOLDERS = 500
_HOUR, _DAY, _WEEK = 3600.0, 86400.0, 604800.0


@dataclass(slots=True)
class VisitedFolder:
    """One folder and how it is used."""

    path: bytes
    marked: bool = False
    visits: float = 0.0
    last: float = 0.0

    def score(self, now: float) -> float:
        """Frecency: many visits count, and recent ones count more."""
        age = now - self.last
        weight = 4.0 if age < _HOUR else 2.0 if age < _DAY else 0.5 if age < _WEEK else 0.25
        return self.visits * weight


class Bookmarks:
    """Belongs to the loop; kept in a file of the state folder, or in memory only."""

    def __init__(self, folder: str | None = None) -> None:
        self._path = None if folder is None else os.path.join(folder, NAME)
        self._folders: dict[bytes, VisitedFolder] = {}
        self._load()

    def visit(self, path: bytes) -> None:
        """Count a visit, kept at the next save; where agents go says nothing about the person."""
        if agent_acts():
            return
        place = self._folders.setdefault(path, VisitedFolder(path))
        place.visits += 1
        place.last = time.time()
        if sum(place.visits for place in self._folders.values()) > 5000:
            for other in self._folders.values():
                other.visits *= 0.9

    def mark(self, path: bytes) -> None:
        """Bookmark a folder."""
        self._folders.setdefault(path, VisitedFolder(path)).marked = True
        self.save()

    def unmark(self, path: bytes) -> None:
        """Take a bookmark away."""
        place = self._folders.get(path)
        if place is None or not place.marked:
            raise CommandError(f"{to_wire(path)} is not bookmarked.")
        place.marked = False
        if not place.visits:
            del self._folders[path]
        self.save()

    def marked(self) -> list[bytes]:
        """The bookmarks, by path."""
        return sorted(place.path for place in self._folders.values() if place.marked)

    def frequent(self, text: str = "", limit: int = 50) -> list[bytes]:
        """The folders that are used most; with `text`, only those whose path holds its words in order."""
        now = time.time()
        words = text.casefold().split()
        found = [place for place in self._folders.values() if _holds(to_wire(place.path).casefold(), words)]
        found.sort(key=lambda place: -place.score(now))
        return [place.path for place in found[:limit]]

    def save(self) -> None:
        """Write everything down."""
        if self._path is None:
            return
        kept = sorted(self._folders.values(), key=lambda place: (not place.marked, -place.last))[:MAX_SAVED_FOLDERS]
        rows = [[to_wire(p.path), p.marked, round(p.visits, 2), round(p.last)] for p in kept]
        places.write(self._path, json.dumps({"folders": rows}, ensure_ascii=False).encode())

    def _load(self) -> None:
        if self._path is None:
            return
        try:
            with open(self._path, "rb") as file:
                rows = json.load(file)["folders"]
        except FileNotFoundError:
            return
        except OSError:
            self._path = None  # it may be readable next time: until then nothing is written over it
            return
        except (ValueError, KeyError, TypeError):
            places.set_aside(self._path)  # it costs neither the start nor what may be saved of it
            return
        for row in rows if isinstance(rows, list) else ():
            with suppress(ValueError, TypeError, AttributeError):  # one bad row costs itself
                path, marked, visits, last = row
                self._folders[from_wire(path)] = VisitedFolder(
                    from_wire(path), bool(marked), float(visits), float(last)
                )


def _holds(path: str, words: list[str]) -> bool:
    place = 0
    for word in words:
        found = path.find(word, place)
        if found < 0:
            return False
        place = found + len(word)
    # The last word must say something about the folder itself, not only about one of its parents.
    return not words or words[-1] in path.rpartition("/")[2] or words[-1] in path[-len(words[-1]) :]
