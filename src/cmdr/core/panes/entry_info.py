"""What the disk says about one entry, in words for the window that shows it."""

from cmdr.core.commander import Commander
from cmdr.model.names import to_wire
from cmdr.model.units import exact_size, mode_text, moment


async def info_of(commander: Commander, path: bytes) -> list[tuple[str, str]]:
    """Names and values, line by line; looked up in a thread, and not for ever on a mount that is dead."""
    facts, target = await commander.browser.row_facts.of(path)
    rows = [("Path", to_wire(path))]
    if facts is None:
        rows.append(("", "It is gone, or cannot be read."))
    else:
        created = moment(facts.created_ns) if facts.created_ns is not None else "not kept by this file system"
        rows += [
            ("Size", exact_size(facts.size)),
            ("Modified", moment(facts.modified_ns)),
            ("Created", created),
            ("Permissions", f"{mode_text(facts.mode)}  {facts.mode & 0o7777:04o}"),
            ("Inode", f"{facts.inode} on device {facts.device}"),
        ]
    if target is not None:
        rows.append(("Leads to", to_wire(target)))
    return rows
