"""What fills a folder, as rectangles to draw and as rows to read."""

from cmdr.core.dispatch.parameter import Json
from cmdr.core.trees.folder_space import FolderSpace
from cmdr.model.names import to_wire
from cmdr.model.treemap import Box, squarify
from cmdr.web.page.rows import Style

HIGH = 1000.0
"""The height of the box that everything is laid in; its width follows from the shape of the window."""


def treemap_told(path: bytes, space: FolderSpace, shape: float, style: Style) -> dict[str, Json]:
    """Every large entry with its place, and the small ones together."""
    wide = HIGH * shape
    boxes = squarify([*(filling.size for filling in space.largest), space.rest], Box(0, 0, wide, HIGH))
    tiles: list[Json] = [
        _tile(to_wire(filling.name), filling.is_folder, filling.size, box, space.total, style)
        for filling, box in zip(space.largest, boxes, strict=False)
    ]
    if space.rest > 0:
        tiles.append(_tile("", False, space.rest, boxes[-1], space.total, style) | {"others": space.others})
    return {
        "path": to_wire(path),
        "wide": wide,
        "high": HIGH,
        "total": ("" if space.complete else "≥") + style.size(space.total),
        "fresh": space.fresh,
        "tiles": tiles,
    }


def _tile(name: str, folder: bool, size: int, box: Box, total: int, style: Style) -> dict[str, Json]:
    return {
        "name": name,
        "folder": folder,
        "size": style.size(size),
        "share": f"{100 * size / total:.1f} %" if total else "",
        "x": round(box.x, 2),
        "y": round(box.y, 2),
        "width": round(box.width, 2),
        "height": round(box.height, 2),
    }
