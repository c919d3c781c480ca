"""Memory that long work has used and freed goes back to the system; glibc would keep it, hundreds of megabytes."""

import ctypes

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def give_back_memory() -> None:
    """Hand back what is free; where the C library knows no way, it does so by itself."""
    if _trim is not None:
        _trim(ctypes.c_size_t(0))
