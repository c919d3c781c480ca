"""What the status line says while something takes longer than a moment."""

from cmdr.core.commander import Commander
from cmdr.core.errors import CommandError
from cmdr.model.names import is_within
from cmdr.model.units import human_size


def busy_line(commander: Commander, doing: str = "") -> str:
    """How far a plan or a scan of the shown tree is, or that a folder is being read; each can be given up."""
    if doing:
        return f"{doing}… Esc gives up"
    here = commander.workspace.pane(commander.workspace.focused).tab.path
    try:
        scans = commander.indexing.scans()
    except CommandError:
        scans = []
    for scan in scans:
        if not scan.state.is_over and is_within(here, scan.root):
            share = f", {scan.percent:.0f}%" if scan.percent is not None else ""
            return f"Indexing: {scan.entries:,} entries so far, {human_size(scan.bytes)}{share}… Esc gives up"
    return "Reading… Esc gives up"
