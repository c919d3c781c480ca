"""A treemap: rectangles as large as what they stand for, as square as they can be, side by side in a box."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """How much it covers."""
        return self.width * self.height


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """A box for each size, largest first, together filling `box`; sizes that are not positive get an empty one.

    Rows are laid along the shorter side of what is left. A row takes the next size as long as that makes the worst of
    its rectangles squarer; then the next row begins.
    """
    total = sum(size for size in sizes if size > 0)
    if total <= 0 or box.area <= 0:
        return [Box(box.x, box.y, 0.0, 0.0) for _ in sizes]
    scale = box.area / total
    boxes: list[Box] = []
    rest, at = box, 0
    while at < len(sizes):
        row = _row(sizes, at, scale, min(rest.width, rest.height))
        laid, rest = _lay(row, rest, is_last=at + len(row) == len(sizes))
        boxes += laid
        at += len(row)
    return boxes


def _row(sizes: Sequence[float], first: int, scale: float, side: float) -> list[float]:
    """The areas of the next row along a side of this length."""
    row: list[float] = []
    total, worst = 0.0, float("inf")
    largest, smallest = 0.0, float("inf")
    for size in sizes[first:]:
        area = max(0.0, size) * scale
        if area > 0:
            widest, thinnest, all_areas = max(largest, area), min(smallest, area), (total + area) ** 2
            stretched = max(side**2 * widest / all_areas, all_areas / (side**2 * thinnest)) if side else float("inf")
            if total and stretched > worst:
                break
            worst, largest, smallest = stretched, widest, thinnest
        row.append(area)
        total += area
    return row


def _lay(row: list[float], rest: Box, *, is_last: bool) -> tuple[list[Box], Box]:
    """A row of areas along the shorter side of what is left, and what is left after it."""
    total = sum(row)
    is_column = rest.width >= rest.height
    side, depth = (rest.height, rest.width) if is_column else (rest.width, rest.height)
    thick = depth if is_last else min(depth, total / side if side else 0.0)
    laid, along = [], 0.0
    for area in row:
        length = side * area / total if total else 0.0
        if is_column:
            laid.append(Box(rest.x, rest.y + along, thick, length))
        else:
            laid.append(Box(rest.x + along, rest.y, length, thick))
        along += length
    if is_column:
        return laid, Box(rest.x + thick, rest.y, rest.width - thick, rest.height)
    return laid, Box(rest.x, rest.y + thick, rest.width, rest.height - thick)
