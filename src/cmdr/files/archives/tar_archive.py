"""A tar, pressed or not: its members in the order in which they lie there."""

from collections.abc import Iterator
from dataclasses import replace

from cmdr.files.archives.bytes_of import CUT_SHORT, PIECE, Check
from cmdr.files.archives.entry import LONGEST_LINK, LONGEST_NAME, BadArchive, Entry
from cmdr.files.archives.tar_header import BLOCK, Words, is_header, name_of, number, records_in, size_of, text, when
from cmdr.files.archives.tar_stream import TarStream
from cmdr.model.plans.member import Member
from cmdr.model.plans.plan_item import Kind

_MOST_WORDS = 1 << 20
"""Room for the words before a member; a name takes a few thousand bytes at most."""
_BEHIND = 1 << 20
"""What is read behind the last member, so that a pressed archive can check its own contents."""
_KINDS = {
    b"0": Kind.FILE,
    b"\0": Kind.FILE,
    b"7": Kind.FILE,
    b"1": Kind.FILE,
    b"2": Kind.LINK,
    b"3": Kind.SPECIAL,
    b"4": Kind.SPECIAL,
    b"5": Kind.FOLDER,
    b"6": Kind.SPECIAL,
}
_HARD_LINK, _SPARSE, _LONG_NAME, _LONG_LINK = b"1", b"S", b"L", b"K"
_RECORDS, _RECORDS_FOR_ALL = (b"x", b"X"), b"g"
_EMPTY = bytes(BLOCK)


class TarArchive:
    """An open tar."""

    def __init__(self, stream: TarStream) -> None:
        self._stream = stream

    def entries(self, check: Check) -> Iterator[Entry]:
        """Everything in it; a pressed one is gone through for that."""
        stream, words, for_all = self._stream, Words(), dict[bytes, bytes]()
        stream.go(0, check)
        while (block := self._header()) is not None:
            kind = block[156:157]
            if kind in (_LONG_NAME, _LONG_LINK, *_RECORDS, _RECORDS_FOR_ALL):
                said = self._words(block)
                match kind:
                    case b"L":
                        words = replace(words, name=text(said))
                    case b"K":
                        words = replace(words, link=text(said))
                    case b"g":
                        for_all |= records_in(said)
                    case _:
                        words = replace(words, records=records_in(said))
                continue
            records = {**for_all, **words.records}
            entry, holds = self._entry(block, kind, replace(words, records=records))
            words = Words()
            behind = stream.at + _blocks(holds)
            yield entry
            stream.go(behind, check)
        end = stream.at + _BEHIND
        while stream.at < end and stream.take(PIECE):
            check()

    def contents(self, member: Member, check: Check) -> Iterator[bytes]:
        """What a member holds."""
        self._stream.go(member.at, check)
        left = member.size
        while left:
            piece = self._stream.take(min(PIECE, left))
            if not piece:
                raise BadArchive(CUT_SHORT)
            left -= len(piece)
            yield piece

    def _header(self) -> bytes | None:
        first = self._stream.take(BLOCK)
        if not first:
            # Some programs leave out the empty blocks at the end.
            return None
        block = first + self._stream.exactly(BLOCK - len(first))
        if block == _EMPTY:
            return None
        if not is_header(block):
            raise BadArchive("a header in it is damaged")
        return block

    def _words(self, block: bytes) -> bytes:
        size = number(block[124:136])
        if size > _MOST_WORDS:
            raise BadArchive("it has names longer than any name may be")
        return self._stream.exactly(_blocks(size))[:size]

    def _entry(self, block: bytes, kind: bytes, words: Words) -> tuple[Entry, int]:
        """A member, and how many bytes belong to it."""
        records = words.records
        wrong = "" if kind in _KINDS else "it is of a kind that cmdr does not know"
        if kind == _SPARSE or any(key.startswith(b"GNU.sparse") for key in records):
            wrong = "it is a file with holes, written in a way that cmdr does not know"
        if kind == _SPARSE:
            goes_on = block[482]
            while goes_on:
                goes_on = self._stream.exactly(BLOCK)[504]
        name = records.get(b"path") or words.name or name_of(block)
        link = records.get(b"linkpath") or words.link or text(block[157:257])
        what = _KINDS.get(kind, Kind.SPECIAL)
        has_contents = kind not in _KINDS or (what is Kind.FILE and kind != _HARD_LINK)
        size = size_of(block, records) if has_contents else 0
        if what is Kind.FILE and has_contents and name.endswith(b"/"):
            # As old programs wrote folders; whatever it holds is gone over.
            what = Kind.FOLDER
        if len(name) > LONGEST_NAME or len(link) > LONGEST_LINK:
            wrong, name, link = "its name is longer than any name may be", name[:LONGEST_NAME], b""
        member = Member(
            name,
            self._stream.at,
            size,
            size,
            mtime_ns=when(block, records),
            link=link if what is Kind.LINK else b"",
        )
        twin = link if kind == _HARD_LINK else None
        return Entry(what, member, _mode(block), twin, wrong), size


def _blocks(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _mode(block: bytes) -> int | None:
    try:
        return number(block[100:108]) & 0o777
    except BadArchive:
        return None
