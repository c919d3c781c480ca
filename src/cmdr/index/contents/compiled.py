"""The library made of the C files here, loaded by ctypes: other threads run while it works.

It is optional. Where no compiler was at hand when cmdr was installed, files are searched in Python, and there is no
index of contents.
"""

import ctypes
import os
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES

_VERSION = 2
_POINTER, _U64, _U32, _INT = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int
_FUNCTIONS: dict[str, tuple[object, tuple[object, ...]]] = {
    "cmdr_contents_version": (_INT, ()),
    "cmdr_contents_level": (_INT, (_INT,)),
    "cmdr_scan_start": (_POINTER, (_POINTER, _U64, _U64, _U64, _POINTER, _U64, _POINTER)),
    "cmdr_scan_next": (_INT, (_POINTER, _U32, _POINTER)),
    "cmdr_scan_leave": (None, (_POINTER,)),
    "cmdr_chunk_free": (None, (_POINTER,)),
    "cmdr_split_lines": (_U64, (_POINTER, _POINTER, _U64, _POINTER, _U64)),
    "cmdr_lines_at": (None, (_POINTER, _POINTER, _U64, _POINTER, _POINTER)),
    "cmdr_line_views": (None, (_POINTER, _POINTER, _U64, ctypes.c_uint8, _POINTER, _POINTER)),
    "cmdr_arrow_views": (None, (_POINTER, _POINTER, ctypes.c_int64, _POINTER)),
    "cmdr_checksum": (_U64, (_POINTER, _U64)),
    "cmdr_file_stamps": (None, (_POINTER, _U64, _U64, _POINTER)),
    "cmdr_keys_of": (_U64, (_POINTER, _U64, _POINTER, _U64, _POINTER)),
    "cmdr_build_segments": (
        _INT,
        (ctypes.c_char_p, ctypes.c_char_p, _U64, _U64, _U64, _U64, ctypes.c_char_p, ctypes.c_int64, _POINTER),
    ),
    "cmdr_segment_docs": (_U64, (_POINTER, _U64, _POINTER)),
    "cmdr_segment_checksum": (_U64, (_POINTER, _U64)),
    "cmdr_segment_candidates": (_INT, (_POINTER, _U64, _POINTER, _U64, _POINTER)),
}


@cache
def contents_library() -> ctypes.CDLL | None:
    """The library, or None when it was not built or is made for another machine or another version."""
    path = library_path()
    if path is None:
        return None
    try:
        library = ctypes.CDLL(path)
        if library.cmdr_contents_version() != _VERSION:
            return None
        for name, (answer, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = answer, arguments
    except (OSError, AttributeError):
        return None
    return library


def library_path() -> str | None:
    """Where the library is, if it was built."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_contents")
    return next((here + suffix for suffix in EXTENSION_SUFFIXES if os.path.exists(here + suffix)), None)
