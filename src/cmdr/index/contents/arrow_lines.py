"""Lines of a chunk as a polars series, where they lie: through Arrow's interface between libraries.

pyarrow would do the same, and is as big as all of cmdr with its libraries.
"""

import ctypes
from typing import Any

import numpy as np

from cmdr.index.contents.scan_job import NOT_UTF8, Chunk
from cmdr.index.snapshots.columns import Column

_SCHEMA_BYTES, _ARRAY_BYTES = 72, 80
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class ArrowLines:
    """Some lines, which polars takes up as strings; kept by who made it for as long as a series of it is used."""

    def __init__(self, library: ctypes.CDLL, chunk: Chunk, lines: Column, mended_with: int) -> None:
        self._lines = np.ascontiguousarray(lines)
        self._text = chunk.text if len(chunk.text) else np.zeros(1, np.uint8)
        odd = int(lines["length"][(lines["facts"] & NOT_UTF8) != 0].sum())
        self._views = np.empty((max(1, len(lines)), 4), np.uint32)
        self._mended = np.empty(odd + 1, np.uint8)
        self._sizes = np.array([len(self._text), len(self._mended)], np.int64)
        library.cmdr_line_views(
            self._text.ctypes.data,
            self._lines.ctypes.data,
            len(lines),
            mended_with,
            self._views.ctypes.data,
            self._mended.ctypes.data,
        )
        held = (self._views, self._text, self._mended, self._sizes)
        self._buffers = (ctypes.c_void_p * 5)(None, *(one.ctypes.data for one in held))
        self._schema = ctypes.create_string_buffer(_SCHEMA_BYTES)
        self._array = ctypes.create_string_buffer(_ARRAY_BYTES)
        library.cmdr_arrow_views(self._schema, self._array, len(lines), self._buffers)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return (
            _new_capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )
