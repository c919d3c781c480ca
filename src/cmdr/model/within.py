"""Whether a path lies in a folder: by its names alone, without asking the disk."""


def is_within(path: bytes, folder: bytes) -> bool:
    """Whether a path is a folder or lies anywhere below it; a slash at the end of either changes nothing."""
    return bool(path and folder) and (path + b"/").startswith(folder.rstrip(b"/") + b"/")
