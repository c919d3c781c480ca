"""Which scanners of files there are on this machine."""

from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.compiled_scanner import CompiledScanner
from cmdr.index.contents.python_scanner import PythonScanner
from cmdr.index.contents.searching import FileScanner


def available() -> tuple[FileScanner, ...]:
    """All that work here, the quickest first; their answers are the same."""
    library = contents_library()
    return (PythonScanner(),) if library is None else (CompiledScanner(library), PythonScanner())


def scanner() -> FileScanner:
    """The quickest that works here."""
    return available()[0]
