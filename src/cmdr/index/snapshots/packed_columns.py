"""A few columns in one small file of their own: packed, checked when read, replaced whole."""

import os
import zlib
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from cmdr.index.errors import Corrupt
from cmdr.index.snapshots.columns import Column


def save_columns(path: str, magic: bytes, head: Sequence[int], columns: Sequence[tuple[Column, str]]) -> None:
    """Write numbers and columns; whoever reads sees the old file or the new one, and a failure leaves nothing."""
    body = np.array([len(columns[0][0]), *head], "<i8").tobytes()
    body += b"".join(np.ascontiguousarray(values, dtype).tobytes() for values, dtype in columns)
    packed = zlib.compress(body, 1)
    try:
        with open(path + ".tmp", "wb") as out:
            out.write(magic + zlib.crc32(packed).to_bytes(4, "little") + packed)
        os.replace(path + ".tmp", path)
    except OSError:
        with suppress(OSError):
            os.unlink(path + ".tmp")
        raise


def load_columns(path: str, magic: bytes, heads: int, dtypes: Sequence[str]) -> tuple[list[int], list[Column]]:
    """The numbers and columns of a file; raises Corrupt when it is missing, damaged or of another kind."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as trouble:
        raise Corrupt(f"{os.path.basename(path)} is not kept any more.") from trouble
    start = len(magic) + 4
    if data[: len(magic)] != magic or zlib.crc32(data[start:]) != int.from_bytes(data[len(magic) : start], "little"):
        raise Corrupt(f"{os.path.basename(path)} is damaged.")
    body = zlib.decompress(data[start:])
    count, *head = np.frombuffer(body, "<i8", heads + 1).tolist()
    at, columns = 8 * (heads + 1), []
    for dtype in dtypes:
        columns.append(np.frombuffer(body, dtype, count, at))
        at += count * np.dtype(dtype).itemsize
    return head, columns
