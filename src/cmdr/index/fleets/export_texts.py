"""Names and paths as other engines compare them, beside their printable form.

Engines compare text, and a name is bytes. So three forms go with it: *raw* is the name itself, *text* is what regular
expressions are asked of, *folded* is what is compared when case does not matter. Where a form says nothing new it is
null: raw and text when they equal the printable form, folded when lower case of it will do.
"""

from typing import NamedTuple

from cmdr.index.snapshots.folding import fold
from cmdr.model.names import to_wire

_BYTES = 0x10FE00  # a byte that is part of no character stands as the private character so far behind it
_STRAY = {0xDC00 + byte: chr(_BYTES + byte) for byte in range(0x80, 0x100)} | {
    # The private characters themselves are told by their bytes, so that no two names have one raw form.
    _BYTES + byte: "".join(chr(_BYTES + one) for one in chr(_BYTES + byte).encode())
    for byte in range(0x80, 0x100)
}


class Texts(NamedTuple):
    """One name or path in all its forms, none of them left out."""

    shown: str
    raw: str
    text: str
    folded: str

    @property
    def is_plain(self) -> bool:
        """Whether the printable form is all that is needed."""
        return self.shown.isascii() and self.shown == self.raw

    def under(self, above: "Texts") -> "Texts":
        """The path of this name inside a folder."""
        return Texts(*(f"{folder.rstrip('/')}/{name}" for folder, name in zip(above, self, strict=True)))

    def beside(self) -> tuple[str | None, str | None, str | None]:
        """Raw, text and folded as they stand beside the printable form."""
        raw, text = (None if one == self.shown else one for one in (self.raw, self.text))
        return raw, text, None if self.is_plain else self.folded


def texts(name: bytes) -> Texts:
    """All forms of a name or path."""
    return Texts(to_wire(name), raw_text(name), name.decode("utf-8", "replace"), raw_text(fold(name)))


def raw_text(name: bytes) -> str:
    """Bytes as text: a character for each character, and one for each byte that is part of none."""
    return name.decode("ascii") if name.isascii() else name.decode("utf-8", "surrogateescape").translate(_STRAY)
