"""Whether what a plan replaces can be kept: asked before anybody says yes, not when half of it is done."""

from cmdr.files.engine.refusals import NothingKept
from cmdr.files.engine.trash_site import NoTrashHere, home_trash, locate


def must_keep(folder: int, path: bytes, home: bytes | None = None) -> None:
    """Refuse to replace a file in an open directory where no trash would keep it."""
    try:
        locate(folder, home or home_trash())
    except NoTrashHere as why:
        raise NothingKept(path, str(why)) from why
