"""The folder that a language server takes for the project of a file."""

import os
from collections.abc import Collection

REPOSITORY = (b".git", b".hg", b".jj")
_MARKERS = (b".git", b"pyproject.toml", b"package.json", b"Cargo.toml", b"go.mod", b"tsconfig.json")


def project_root(path: bytes) -> bytes:
    """The nearest folder above a file that holds a repository or a project file, else the file's own folder."""
    return nearest_holding(os.path.dirname(os.path.abspath(path)), _MARKERS)


def repository_root(path: bytes) -> bytes:
    """The repository that a file belongs to, else its project: what one trusts as a whole."""
    project = project_root(path)
    return nearest_holding(project, REPOSITORY)


def nearest_holding(folder: bytes, markers: Collection[bytes]) -> bytes:
    """The nearest folder, this one or one above it, that holds one of some names; this one when there is none."""
    here = folder
    while not any(os.path.lexists(os.path.join(here, marker)) for marker in markers):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here
