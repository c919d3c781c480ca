"""The folder that a language server takes for the project of a file."""

import os

_MARKERS = (b".git", b"pyproject.toml", b"package.json", b"Cargo.toml", b"go.mod", b"tsconfig.json")


def project_root(path: bytes) -> bytes:
    """The nearest folder above a file that holds a repository or a project file, else the file's own folder."""
    parent = os.path.dirname(os.path.abspath(path))
    folder = parent
    while True:
        if any(os.path.lexists(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return parent
        folder = above
