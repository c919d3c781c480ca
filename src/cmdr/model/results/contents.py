"""What was found in contents: files, and their lines as grep prints them."""

from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.model.contents import FileLines, ShownLine
from cmdr.model.names import to_wire
from cmdr.model.results.result import Result
from cmdr.model.trees.indexes import behind_text
from cmdr.model.units import count
from cmdr.model.yaml_text import quoted_name


@dataclass(frozen=True, slots=True)
class ContentAnswer(Result):
    """What a question about contents found: how much, the first lines, and a set of the files."""

    kind = "contentAnswer"
    root: bytes
    count: int
    """Files in the set."""
    lines: int | None
    """Lines that match in all of them; None on further pages."""
    files: tuple[FileLines, ...]
    """The first ones, as far as there is room."""
    set: str
    cursor: str | None = None
    """Leads to the next files."""
    behind: int = 0
    """Folders that are not known as they are; 0 when the answer is true as of the call."""
    indexed_now: int | None = None
    not_covered: tuple[str, ...] = ()
    """What could not be looked at."""
    is_partial: bool = False
    """Whether files were left when the time was over: there may be more."""
    offer: str = ""
    """What would make the answer whole, when it is partial."""
    hints: tuple[str, ...] = ()
    saved_as: str | None = None
    directions: str = ""
    """What it asked of times, in words with dates."""

    def text(self) -> str:
        told = [] if self.lines is None else [self._headline()]
        if self.not_covered:
            told.append("not covered: " + "; ".join(self.not_covered)[:200] + self.offer)
        told += grep_lines(self.files, self.root)
        if self.cursor is not None:
            told.append(f"more: cursor {self.cursor}")
        told += self.hints
        if self.lines is not None and self.count:
            told.append(f"set: {self.set}")
        if self.saved_as is not None:
            told.append(f"saved as query {self.saved_as}")
        return "\n".join(told)

    def _headline(self) -> str:
        least = "at least " if self.is_partial else ""
        told = f"{least}{count(self.count, 'file')}, {count(self.lines or 0, 'line')} below {_shown(self.root)}"
        told += f": {self.directions}" if self.directions else ""
        told += behind_text(self.behind)
        return told if self.indexed_now is None else f"{told} (indexed just now: {self.indexed_now} entries)"


@dataclass(frozen=True, slots=True)
class ContentLines(Result):
    """More lines of files that were found."""

    kind = "contentLines"
    is_plain = True
    files: tuple[FileLines, ...]
    cursor: str | None = None

    def text(self) -> str:
        return "\n".join(grep_lines(self.files, b""))


def grep_lines(files: tuple[FileLines, ...], root: bytes) -> Iterator[str]:
    """`path:line: text`, and `path-line- text` for lines beside; paths are seen from the root."""
    below = root.rstrip(b"/") + b"/" if root else b""
    has_context = any(not line.is_match for one in files for line in one.lines)
    is_first = True
    for one in files:
        path = _shown(one.path.removeprefix(below))
        last = -1
        for line in one.lines:
            if has_context and not is_first and line.line != last + 1:
                yield "--"
            sign = ":" if line.is_match else "-"
            yield f"{path}{sign}{line.line}{sign} {line_text(line)}".rstrip()
            last, is_first = line.line, False
        left = one.count - sum(line.is_match for line in one.lines)
        if left:
            yield f"{path}: {count(left, 'more line')}"


def line_text(line: ShownLine) -> str:
    """A line with dots where it is cut."""
    if not line.is_cut:
        return line.text
    return f"…{line.text}…" if line.is_match else f"{line.text}…"


def _shown(path: bytes) -> str:
    return quoted_name(to_wire(path))
