"""The lines of a text, cut the same way for the diff, the buffers and every position."""

import io


def split_lines(text: str) -> list[str]:
    """The lines with their ends; a line ends at `\\n` only, so joining them gives the text back exactly."""
    # str.splitlines would also cut at form feeds, U+2028 and others, which editors and tools show inside a line.
    return list(io.StringIO(text, newline="\n"))


def line_ending(line: str) -> str:
    """`\\r\\n`, `\\n`, or nothing on a last line without one."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def line_body(line: str) -> str:
    """The line without its end."""
    ending = line_ending(line)
    return line[: -len(ending)] if ending else line


def line_count(text: str) -> int:
    """How many lines an editor shows: one more than there are line ends."""
    return text.count("\n") + 1


def common_start(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning; halves the range instead of walking it."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
