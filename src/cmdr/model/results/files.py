"""What was read of files: texts and how many lines they have, each with where to go on or why there is none."""

from dataclasses import dataclass

from cmdr.model.results.result import Result
from cmdr.model.units import count
from cmdr.model.yaml_text import quoted_name


@dataclass(frozen=True, slots=True)
class FileText:
    """A piece of one file, or why there is none."""

    name: str
    """As the caller wrote it, or found by what it wrote."""
    text: str = ""
    first_line: int | None = None
    """Number of its first line, from 1; None where it is counted in bytes."""
    lines: int = 0
    start: int = 0
    end: int = 0
    """Its first byte, and the one behind it."""
    is_whole: bool = True
    """Whether this is all of the file."""
    has_more: bool = False
    """Whether something follows."""
    encoding: str = "utf-8"
    mtime: int | None = None
    """For callers that may write: what they can expect to find when they do."""
    about: str = ""
    """What it is, where it is no text."""
    problem: str = ""

    def where(self, *, always: bool = True) -> str:
        """Which part it is, and where to go on; of a whole file only when it is `always` to be said."""
        told = []
        if always or not self.is_whole:
            told.append(self._range())
        if self.mtime is not None:
            told.append(f"mtime {self.mtime}")
        if self.encoding != "utf-8":
            told.append(self.encoding)
        if self.has_more:
            told.append(
                f"more at offset {self.end}"
                if self.first_line is None
                else f"more at line {self.first_line + self.lines}"
            )
        return ", ".join(told)

    def _range(self) -> str:
        if self.first_line is None:
            return f"bytes {self.start}-{self.end}"
        return f"lines {self.first_line}-{self.first_line + self.lines - 1}" if self.lines else "no lines here"


@dataclass(frozen=True, slots=True)
class FilesRead(Result):
    """Texts of one file or several."""

    kind = "filesRead"
    files: tuple[FileText, ...]
    left_out: int = 0
    """Files that one call does not read."""

    @property
    def failed(self) -> bool:
        return all(file.problem for file in self.files)

    def text(self) -> str:
        if len(self.files) == 1 and not self.left_out:
            (only,) = self.files
            return only.problem or only.about or f"{only.where()}\n{only.text}"
        told = "".join(map(_section, self.files))
        return told + (f"… {count(self.left_out, 'file')} more: ask for them alone" if self.left_out else "")


def _section(file: FileText) -> str:
    """One of several, headed as `head` and `tail` do."""
    name = quoted_name(file.name)
    if said := file.problem or file.about:
        return f"==> {name} <==\n{said}\n"
    where = file.where(always=False)
    end = "" if file.text.endswith("\n") or not file.text else "\n"
    return f"==> {name}{f' {where}' if where else ''} <==\n{file.text}{end}"


@dataclass(frozen=True, slots=True)
class LineCount:
    """How many lines a file has, or why that is not known."""

    name: str
    lines: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LinesCounted(Result):
    """How many lines some files have."""

    kind = "linesCounted"
    files: tuple[LineCount, ...]
    total: int
    counted: int
    """Files in the total."""
    left_out: int = 0
    """Counted files that are not listed."""

    @property
    def failed(self) -> bool:
        return not self.counted

    def text(self) -> str:
        told = [
            f"{quoted_name(file.name)}: {file.problem}"
            if file.lines is None
            else f"{file.lines} {quoted_name(file.name)}"
            for file in self.files
        ]
        if self.left_out:
            told.append(f"… {count(self.left_out, 'file')} more")
        if len(self.files) > 1:
            told.append(f"{self.total} total" + (f" in {self.counted} files" if self.left_out else ""))
        return "\n".join(told)
