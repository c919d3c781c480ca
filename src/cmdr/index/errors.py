"""What can go wrong with an index, each as its own type with one sentence for the reader."""


class IndexFault(Exception):
    """Any trouble with an index; its text is written for the person or agent who asked."""


class RootMissing(IndexFault):
    """The folder to index is not there, not a folder, or went away."""


class ScanRunning(IndexFault):
    """This root is being scanned already."""


class WalkFailed(IndexFault):
    """A walker process ended before its work was done."""


class DiskFull(IndexFault):
    """There was no room to write; what was there before stays."""


class CatalogueFailed(IndexFault):
    """The database that lists indexes, sets and queries could not be used."""


class Corrupt(IndexFault):
    """Stored columns are truncated or damaged and must not be used."""


class NotText(IndexFault):
    """A name holds half of a character, as JSON can carry it; nothing is called so."""


class NoSuchIndex(IndexFault):
    """No index has this id, or none covers this path."""


class NoSuchSet(IndexFault):
    """No set has this id."""


class NoSuchQuery(IndexFault):
    """No saved query has this id or name."""


class BadHandle(IndexFault):
    """This is not a node id of this index."""


class NotIndexed(IndexFault):
    """The index does not know this path."""


class Gone(IndexFault):
    """The node existed and has vanished; `last_path` says where it was."""

    def __init__(self, sentence: str, last_path: bytes | None) -> None:
        super().__init__(sentence)
        self.last_path = last_path


class BadCursor(IndexFault):
    """This paging cursor was not made here."""


class StaleCursor(BadCursor):
    """The index has been rebuilt since this cursor was made."""


class ForeignCursor(BadCursor):
    """This cursor belongs to another index, question or order."""


class BadPattern(IndexFault):
    """A regular expression that the engine does not accept."""


class BadQuestion(IndexFault):
    """A filter names something that this index cannot answer."""


class Cancelled(IndexFault):
    """The caller stopped the work."""


class ExportRunning(IndexFault):
    """The same tree is being exported to the same place already."""


class NoSuchFleet(IndexFault):
    """A folder holds no exports that can be asked, or what asks them is not installed."""


class DamagedExport(IndexFault):
    """One export of a fleet cannot be asked; the text says why."""


class IndexFull(IndexFault):
    """The index ran out of node numbers."""


class NoContents(IndexFault):
    """Contents cannot be indexed here."""


class LibraryBusy(IndexFault):
    """Another process works with these indexes."""
