"""How the process takes memory from the system while it trains."""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Options of glibc's mallopt, as in malloc.h."""


def keep_memory() -> None:
    """Have freed memory kept by the process, where its C library can: each step needs it again.

    Pages given back and taken anew are zeroed first, which can take longer than what a step
    computes on them.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if hasattr(library, "mallopt"):
        # The largest values that it takes: arrays of up to 32 MiB, any amount freed.
        library.mallopt(M_MMAP_THRESHOLD, 2**25)
        library.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
