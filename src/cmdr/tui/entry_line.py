"""One line about the entry under the cursor, in full: name, where a link leads, size to the byte, date, permissions."""

import os
import time

from cmdr.model.panes.entry import Kind
from cmdr.model.panes.tab import Tab
from cmdr.model.units import date, mode_text
from cmdr.tui.link_targets import LinkTargets
from cmdr.tui.safe_text import shown


def entry_line(tab: Tab, links: LinkTargets | None = None) -> str:
    """What the status line says while there is nothing more important."""
    if tab.on_parent_row or (tab.has_parent and tab.history.here >= 0 and not len(tab.listing)):
        return f"..  up to {shown(os.path.dirname(tab.path))}"
    if tab.cursor >= len(tab.listing):
        return ""
    entry = tab.listing.entry(tab.cursor)
    facts = entry.facts
    told = shown(entry.name)
    if facts is None:
        return told
    target = links.of(os.path.join(tab.path, entry.name), entry) if links and entry.kind is Kind.LINK else None
    told += f" → {shown(target)}" if target is not None else ""
    size = "" if entry.is_folder else f"  {facts.size:,} B"
    return f"{told}{size}  {date(facts.modified_ns, 'iso', 16, time.time())}  {mode_text(facts.mode)}"
