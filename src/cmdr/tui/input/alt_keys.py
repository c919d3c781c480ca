"""Alt keys as most terminals send them: an escape and then the key, known as one at once.

Textual waits after each to see whether more comes, so that a key typed soon behind it is garbled; it takes some for
other keys, and knows no signs among them at all. Escape and a digit stands for a function key, as in other commanders,
for terminals and desktops that keep those for themselves.
"""

import string
from enum import Enum
from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import KEY_NAME_REPLACEMENTS, _character_to_key

_BEGIN_LONGER_ONES = frozenset("[OP]")
FUNCTION_KEYS = {str(number % 10): f"f{number}" for number in range(1, 11)}


def _name(sign: str) -> str:
    if sign in FUNCTION_KEYS:
        return FUNCTION_KEYS[sign]
    if sign in string.ascii_uppercase:
        return f"alt+shift+{sign.lower()}"
    name = sign if sign.isalnum() else _character_to_key(sign)
    return f"alt+{KEY_NAME_REPLACEMENTS.get(name, name)}"


_SENT = {f"\x1b{sign}": _name(sign) for sign in map(chr, range(0x20, 0x7F)) if sign not in _BEGIN_LONGER_ONES}
_SENT |= {"\x1b\r": "alt+enter", "\x1b\x7f": "alt+backspace"}
# The table holds members of an enumeration, of which only the values are looked at.
_Key = Enum("_Key", {f"KEY_{ord(sent[1])}": name for sent, name in _SENT.items()})  # type: ignore[misc]


def register_alt_keys() -> None:
    """Take Alt keys for what they are, in every terminal of this program."""
    known = cast("dict[str, tuple[Enum, ...]]", ANSI_SEQUENCES_KEYS)
    known.update({sent: (_Key[f"KEY_{ord(sent[1])}"],) for sent in _SENT})
