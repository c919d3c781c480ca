"""The panes drawn before anything heavy is loaded: the same lines in the same places as the application draws them."""

import os
from collections.abc import Iterator

from rich.color import ColorSystem
from rich.segment import Segment

from cmdr.core.settings import Settings
from cmdr.model.panes.pane import Pane
from cmdr.model.panes.workspace import Workspace
from cmdr.tui.input.key_map import key_labels, key_map, label_cells
from cmdr.tui.panes import frame
from cmdr.tui.panes.frame import entry_line
from cmdr.tui.panes.geometry import PaneGeometry
from cmdr.tui.panes.rows import FullColumns, RowRenderer, full_head
from cmdr.tui.terminal.safe_text import fit
from cmdr.tui.theme.appearance import Appearance

Line = list[Segment]


def first_frame(workspace: Workspace, settings: Settings, width: int, height: int) -> str:
    """Everything on the screen, as text and colours from its upper left corner on."""
    look = Appearance.chosen(settings)
    below: list[Line] = [
        [Segment(fit(" " + entry_line(workspace.pane(workspace.focused).tab), width), look.ink["base"])]
    ]
    if settings.flag("appearance.key_bar"):
        below.append(label_cells(key_labels(key_map(settings.shortcuts)), width, look.ink))
    middle = width // 2
    panes = zip(
        _pane(workspace, workspace.left, settings, look, middle, height - len(below)),
        _pane(workspace, workspace.right, settings, look, width - middle, height - len(below)),
        strict=True,
    )
    colours = _colour_system()
    lines = [_drawn([*left, *right], width, look, colours) for left, right in panes]
    lines += [_drawn(line, width, look, colours) for line in below]
    return "".join(f"\x1b[{number};1H{line}" for number, line in enumerate(lines, 1))


def _pane(
    workspace: Workspace, pane: Pane, settings: Settings, look: Appearance, width: int, height: int
) -> Iterator[Line]:
    tab, ink, active = pane.tab, look.ink, workspace.focused is pane.side
    geometry = PaneGeometry(
        width,
        height,
        tab.view,
        with_tabs=len(pane.tabs) > 1 or tab.pinned,
        with_parent_row=tab.has_parent and settings.flag("general.parent_row"),
    )
    rows, side = RowRenderer(look), Segment("│", ink["frame_active" if active else "frame"])
    cursor = 0 if tab.on_parent_row and geometry.above else tab.cursor + geometry.above
    top = geometry.top_for(cursor, 0, geometry.total(len(tab.listing)))
    for y in range(height):
        if y == 0:
            yield frame.top_line(pane, width, ink, active=active, home=look.home)
        elif y == height - 1:
            yield frame.bottom_line(tab, width, ink, active=active, space=None, search="")
        elif y >= geometry.first_line:
            yield rows.cells(tab, geometry, top, y - geometry.first_line, active=active)
        elif geometry.with_tabs and y == 1:
            yield frame.tab_line(pane, width, ink, active=active)[0]
        else:
            yield [side, *full_head(FullColumns.within(geometry.inner, look.row), ink), side]


def _drawn(line: Line, width: int, look: Appearance, colours: ColorSystem | None) -> str:
    return "".join(
        segment.style.render(segment.text, color_system=colours) if segment.style else segment.text
        for segment in Segment.adjust_line_length(line, width, look.ink["base"])
        if segment.text
    )


def _colour_system() -> ColorSystem | None:
    """As many colours as the application will use in this terminal."""
    term = os.environ.get("TERM", "").strip().lower()
    if term in ("dumb", "unknown"):
        return None
    if os.environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return ColorSystem.TRUECOLOR
    return ColorSystem.EIGHT_BIT if term.endswith(("-256color", "kitty")) else ColorSystem.STANDARD
