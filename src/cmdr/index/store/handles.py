"""Handles that outsiders hold for things inside, opaque and checked; and the names that sets and queries get."""

import base64
import re
import secrets

from cmdr.index.errors import BadHandle, BadQuestion
from cmdr.model.names import printable

_NODE = re.compile(r"n_([0-9a-f]{8})([0-9a-f]{1,8})")
_SHORT = re.compile(r"#?([0-9]{1,10})")
_RANDOM_BYTES = {"i": 5}
"""Of a handle that names something everybody may see, and that stands in many links; others cannot be guessed."""
MAX_NAME_CHARS = 80


def new_handle(kind: str) -> str:
    """A fresh random handle, such as `i_…` for an index or `s_…` for a set."""
    return f"{kind}_{_text(secrets.token_bytes(_RANDOM_BYTES.get(kind, 10)))}"


def new_tag() -> int:
    """The number that ties node handles to one index."""
    return secrets.randbits(31)


def node_handle(tag: int, nid: int) -> str:
    """The handle of a node: the same for as long as the node exists, and never given to another one."""
    return f"{node_handle_start(tag)}{nid:x}"


def node_handle_start(tag: int) -> str:
    """What the handles of all nodes of an index begin with."""
    return f"n_{tag:08x}"


def node_number(tag: int, handle: str) -> int:
    """The node's number in the index with this tag, from its handle or as it stands in a row of an answer about this
    index; raises BadHandle for anything else."""
    if (short := short_number(handle)) is not None:
        return short
    found = _NODE.fullmatch(handle)
    if found is None:
        raise BadHandle(f"{handle[:40]!r} is not a node id. Take one from inspect or from a link.")
    nid = int(found[2], 16)
    if node_handle(tag, nid) != handle:
        raise BadHandle(f"{handle[:40]!r} is not a node id of this index.")
    return nid


def short_number(text: str) -> int | None:
    """The number in the short id of a node, such as `#12`, which means a node of one index; None if it is none."""
    found = _SHORT.fullmatch(text)
    number = None if found is None else int(found[1])
    return number if number is not None and number < 1 << 32 else None


def is_node_handle(text: str) -> bool:
    """Whether a text is the id of a node, of whichever index."""
    return _NODE.fullmatch(text) is not None


def _text(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()


def valid_name(name: str) -> str:
    """The name itself; refused when it is empty, long, or holds what does not show as itself."""
    plain = name.replace("\\", "")  # a backslash shows, and is only doubled where names of files are told
    if not name.strip() or len(name) > MAX_NAME_CHARS or printable(plain, MAX_NAME_CHARS) != plain:
        raise BadQuestion(f'A name has 1 to {MAX_NAME_CHARS} printable characters; "{printable(name, 40)}" has not.')
    return name
