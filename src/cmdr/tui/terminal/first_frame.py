"""The first frame: the panes, drawn before Textual is loaded, line for line as the application draws them."""

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
    appearance = Appearance.chosen(settings)
    below: list[Line] = [
        [Segment(fit(" " + entry_line(workspace.pane(workspace.focused).tab), width), appearance.styles["base"])]
    ]
    if settings.flag("appearance.key_bar"):
        below.append(label_cells(key_labels(key_map(settings.shortcuts)), width, appearance.styles))
    middle = width // 2
    panes = zip(
        _pane(workspace, workspace.left, settings, appearance, middle, height - len(below)),
        _pane(workspace, workspace.right, settings, appearance, width - middle, height - len(below)),
        strict=True,
    )
    colours = _colour_system()
    lines = [_drawn([*left, *right], width, appearance, colours) for left, right in panes]
    lines += [_drawn(line, width, appearance, colours) for line in below]
    return "".join(f"\x1b[{number};1H{line}" for number, line in enumerate(lines, 1))


def _pane(
    workspace: Workspace, pane: Pane, settings: Settings, appearance: Appearance, width: int, height: int
) -> Iterator[Line]:
    tab, styles, active = pane.tab, appearance.styles, workspace.focused is pane.side
    geometry = PaneGeometry.of(pane, width, height, parent_row=settings.flag("general.parent_row"))
    rows, side = RowRenderer(appearance), Segment("│", styles["frame_active" if active else "frame"])
    cursor = 0 if tab.on_parent_row and geometry.above else tab.cursor + geometry.above
    top = geometry.top_for(cursor, 0, geometry.total(len(tab.listing)))
    for y in range(height):
        if y == 0:
            yield frame.top_line(pane, width, styles, active=active, home=appearance.home)[0]
        elif y == height - 1:
            yield frame.bottom_line(tab, width, styles, active=active, space=None, search="")
        elif y >= geometry.first_line:
            yield rows.cells(tab, geometry, top, y - geometry.first_line, active=active)
        elif geometry.with_tabs and y == 1:
            yield frame.tab_line(pane, width, styles, active=active)[0]
        else:
            yield [side, *full_head(FullColumns.within(geometry.inner, appearance.row), styles), side]


def _drawn(line: Line, width: int, appearance: Appearance, colours: ColorSystem | None) -> str:
    return "".join(
        segment.style.render(segment.text, color_system=colours) if segment.style else segment.text
        for segment in Segment.adjust_line_length(line, width, appearance.styles["base"])
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
