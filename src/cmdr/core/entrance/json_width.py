"""How many values a JSON text holds, told without parsing it: millions of them would hold up everybody for seconds.

Parsing cannot be interrupted and holds the interpreter, wherever it runs. A long string costs next to nothing, a long
list of numbers a thousand times as much, so what counts is the number of values and not of bytes.
"""

import re

from cmdr.core.admission.limits import MAX_JSON_VALUES

SMALL = 64 << 10
"""Bytes that cannot hold too many values."""

# What follows each comma or bracket is one value, however long, and strings hold such signs that mean nothing.
_STEP = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|([,\[{])', re.DOTALL)


def is_too_wide(text: bytes, most: int = MAX_JSON_VALUES) -> bool:
    """Whether there are more values than anyone needs; stops at the first one too many."""
    if len(text) <= SMALL:
        return False
    steps = (step for step in _STEP.finditer(text) if step.lastindex)
    return any(count > most for count, _ in enumerate(steps, 1))
