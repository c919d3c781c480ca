"""The lines around the rows: the frame of a pane, its tabs, and the line about the entry under the cursor."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style

from cmdr.model.panes.entry import Kind
from cmdr.model.panes.pane import Pane, totals
from cmdr.model.panes.sorting import Direction, SortKey
from cmdr.model.panes.tab import Tab
from cmdr.model.units import date, human_size, mode_text
from cmdr.tui.terminal.safe_text import fit, printable, shown, width_of

if TYPE_CHECKING:
    from cmdr.core.panes.free_space import Space
    from cmdr.tui.panes.prefetch import LinkTargetCache


Styles = dict[str, Style]


MAX_MARKS = 2
"""Agents whose names stand in the frame; of more, only how many."""
MAX_MARK_CELLS = 14


@dataclass(frozen=True, slots=True)
class FrontTab:
    """How an agent's tab came to be in front, for the frame to tell."""

    stopped: bool = False
    followed: bool = False
    by_itself: bool = False

    def told(self, tab: Tab) -> str:
        """Whose tab it is."""
        ways = ((self.stopped, "stopped"), (self.followed, "followed"), (self.by_itself, "any key: yours"))
        return ", ".join([printable(tab.agent_name), *(words for holds, words in ways if holds)])


def agent_marks(pane: Pane, *, with_tabs: bool) -> list[tuple[str, str]]:
    """What the frame tells of agents: whose tabs lie behind where no line of tabs shows them; each with its tab."""
    if pane.tab.lets_agents_in:
        return [("agents let in", "")]
    behind = {tab.agent: tab for tab in pane.tabs if tab.agent}
    if with_tabs or not behind:
        return []
    marks = [(f"▸{fit(printable(tab.agent_name), MAX_MARK_CELLS).rstrip()}", tab.id) for tab in behind.values()]
    more = [(f"+{len(marks) - MAX_MARKS}", "")] if len(marks) > MAX_MARKS else []
    return [*marks[:MAX_MARKS], *more]


def top_line(
    pane: Pane,
    width: int,
    styles: Styles,
    *,
    active: bool,
    home: bytes,
    marks: Sequence[tuple[str, str]] = (),
    front: FrontTab | None = None,
) -> tuple[list[Segment], list[tuple[int, int, str]]]:
    """The top of the frame: where we are, how it is sorted, what agents have here; and where their tabs are clicked."""
    frame = styles["frame_active" if active else "frame"]
    arrow = "↑" if pane.tab.sort.direction is Direction.ASC else "↓"
    by = "change" if pane.tab.listing.changes and pane.tab.sort.by is SortKey.SIZE else pane.tab.sort.by
    sort = f" {by}{arrow} "
    whose = f" ▸{front.told(pane.tab)}" if front is not None and pane.tab.agent else ""
    if width_of(whose) > width * 2 // 3:
        whose = fit(whose, width * 2 // 3)
    told = "".join(f" {text}" for text, _ in marks)
    told = told if width_of(told) < width // 3 else ""
    room = width - 4 - len(sort) - 1 - width_of(told) - width_of(whose)
    path = f" {location_title(pane.tab, home)} "
    if width_of(path) > room:
        path = fit(path, max(1, room), keep_end=True)
    before = 2 + width_of(whose) + width_of(path)
    middle = "─" * max(0, width - before - width_of(told) - len(sort) - 2)
    places: list[tuple[int, int, str]] = []
    at = before + len(middle)
    for text, tab in marks if told else ():
        if tab:
            places.append((at + 1, at + 1 + width_of(text), tab))
        at += 1 + width_of(text)
    cells = [
        Segment("┌─", frame),
        Segment(whose, styles["agent"]),
        Segment(path, styles["title_active" if active else "title"]),
        Segment(middle, frame),
        Segment(told, styles["agent"]),
        Segment(sort, styles["dim"] if not active else styles["title"]),
        Segment("─┐", frame),
    ]
    return [cell for cell in cells if cell.text], places


def bottom_line(
    tab: Tab, width: int, styles: Styles, *, active: bool, space: Space | None, search: str
) -> list[Segment]:
    """The bottom of the frame: what is selected or shown, a filter or search, and the free space of the volume."""
    frame = styles["frame_active" if active else "frame"]
    left, role = totals(tab), "selected" if tab.selection.count else "title"
    if search.startswith("/"):
        left, role = f"Filter: {printable(search[1:])}_", "match"
    elif search:
        left, role = f"Search: {printable(search)}_", "match"
    elif tab.filter:
        left, role = f"Filter: {printable(tab.filter)} · {left}", "agent"
    right = f" {human_size(space.free)} free " if space is not None else ""
    room = width - 4
    left = f" {left} "
    if width_of(left) + len(right) + 1 > room:
        right = "" if width_of(left) + 1 > room - len(right) else right
        left = fit(left, max(1, room - len(right) - 1)) if width_of(left) > room - len(right) - 1 else left
    middle = "─" * max(0, room - width_of(left) - len(right))
    return [
        Segment("└─", frame),
        Segment(left, styles[role]),
        Segment(middle, frame),
        Segment(right, styles["title"]),
        Segment("─┘", frame),
    ]


def tab_line(
    pane: Pane, width: int, styles: Styles, *, active: bool
) -> tuple[list[Segment], list[tuple[int, int, str]]]:
    """The tabs, the one in front standing out, and where each can be clicked."""
    frame = styles["frame_active" if active else "frame"]
    room = width - 2
    each = max(6, min(24, room // max(1, len(pane.tabs))))
    cells: list[Segment] = []
    places: list[tuple[int, int, str]] = []
    used = 0
    first = max(0, min(pane.active - room // each + 1, len(pane.tabs) - room // each))
    for place in range(first, len(pane.tabs)):
        if used + each > room:
            break
        tab = pane.tabs[place]
        name = printable(tab.found.title) if tab.found else shown(tab.path.rpartition(b"/")[2] or b"/")
        mark = f"▸{printable(tab.agent_name)}" if tab.agent else "◆" if tab.pinned else str(place + 1)
        text = f" {mark} {name}"
        role = "title_active" if place == pane.active else "agent" if tab.agent else "dim"
        cells.append(Segment(fit(text, each - 1), styles[role]))
        cells.append(Segment(" ", styles["base"]))
        places.append((1 + used, 1 + used + each, tab.id))
        used += each
    return [Segment("│", frame), *cells, Segment(" " * (room - used), styles["base"]), Segment("│", frame)], places


def location_title(tab: Tab, home: bytes) -> str:
    """What a tab shows: a folder, or what was found below one."""
    path = abbreviate_home(tab.path, home)
    return f"{path}: {printable(tab.found.title)}" if tab.found else path


def abbreviate_home(path: bytes, home: bytes) -> str:
    """A path with the home folder shortened."""
    if path == home:
        return "~"
    return "~" + shown(path[len(home) :]) if home != b"/" and path.startswith(home + b"/") else shown(path)


def entry_line(tab: Tab, links: LinkTargetCache | None = None) -> str:
    """What the status line says while there is nothing more important."""
    if tab.on_parent_row or (tab.has_parent and tab.history.here >= 0 and not len(tab.listing)):
        return f"..  up to {shown(os.path.dirname(tab.path))}"
    if tab.cursor >= len(tab.listing):
        return ""
    entry = tab.listing.entry(tab.cursor)
    facts = entry.facts
    text = shown(entry.name)
    if facts is None:
        return text
    target = links.of(os.path.join(tab.path, entry.name), entry) if links and entry.kind is Kind.LINK else None
    text += f" → {shown(target)}" if target is not None else ""
    size = "" if entry.is_folder else f"  {facts.size:,} B"
    return f"{text}{size}  {date(facts.modified_ns, 'iso', 16, time.time())}  {mode_text(facts.mode)}"
