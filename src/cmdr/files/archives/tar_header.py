"""The headers of a tar: numbers, names and the longer words that stand before a member."""

import re
from dataclasses import dataclass, field

from cmdr.files.archives.entry import BadArchive, moment

BLOCK = 512
LARGEST = 1 << 60
_DAMAGED = "a header in it is damaged"
_DECIMAL = re.compile(rb"(-?)(\d{1,12})(?:\.(\d*))?$")
_WORD = re.compile(rb"(\d{1,7}) ")


@dataclass(slots=True)
class Words:
    """What stands before a member and counts more than its header: long names, and records of pax."""

    name: bytes | None = None
    link: bytes | None = None
    records: dict[bytes, bytes] = field(default_factory=dict)


def is_header(block: bytes) -> bool:
    """Whether a block is a header, by the sum that it keeps of itself."""
    try:
        told = number(block[148:156])
    except BadArchive:
        return False
    plain = block[:148] + b" " * 8 + block[156:]
    return told in (sum(plain), sum(byte - 256 if byte > 127 else byte for byte in plain))


def number(field_: bytes) -> int:
    """A number in a header: octal digits, or bytes in a row for large ones."""
    if field_[:1] == b"\x80":
        return int.from_bytes(field_[1:], "big")
    digits = field_.split(b"\0", 1)[0].strip()
    if not digits:
        return 0
    try:
        return int(digits, 8) if digits.isdigit() else _no_number()
    except ValueError:
        return _no_number()


def text(field_: bytes) -> bytes:
    """A name in a header."""
    return field_.split(b"\0", 1)[0]


def name_of(block: bytes) -> bytes:
    """The name in a header, both parts of it."""
    name, before = text(block[:100]), text(block[345:500])
    return before + b"/" + name if before and block[257:263] == b"ustar\0" else name


def when(block: bytes, records: dict[bytes, bytes]) -> int | None:
    """When the member was changed last, as exactly as is told; None where it is not told in a known way."""
    told = _DECIMAL.match(records.get(b"mtime", b""))
    if told is not None:
        sign, whole, part = told.groups(b"")
        return 0 if sign else moment(int(whole) * 10**9 + int((part + b"0" * 9)[:9]))
    try:
        return moment(number(block[136:148]) * 10**9)
    except BadArchive:
        return None


def records_in(data: bytes) -> dict[bytes, bytes]:
    """The records of a pax header: each says how long it is, what it is about, and what it says."""
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(data) and data[at]:
        told = _WORD.match(data, at)
        size = int(told[1]) if told is not None else 0
        record = data[at : at + size]
        if told is None or at + size > len(data) or size <= len(told[0]) or not record.endswith(b"\n"):
            raise BadArchive(_DAMAGED)
        key, _, value = record[len(told[0]) : -1].partition(b"=")
        found[key] = value
        at += size
    return found


def size_of(block: bytes, records: dict[bytes, bytes]) -> int:
    """How much a member holds."""
    told = records.get(b"size")
    if told is not None and not (told.isdigit() and len(told) < 20):
        return _no_number()
    size = number(block[124:136]) if told is None else int(told)
    return size if size <= LARGEST else _no_number()


def _no_number() -> int:
    raise BadArchive(_DAMAGED)
