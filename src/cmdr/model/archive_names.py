"""Which names are those of archives; what a file really is, its contents tell."""

UNPACKED = (
    *(b".zip", b".jar", b".tar", b".tgz", b".tbz", b".tbz2", b".txz"),
    *(b".tar.gz", b".tar.bz2", b".tar.xz"),
)


def is_archive_name(name: bytes) -> bool:
    """Whether somebody who opens a file of this name would want to see what is in it."""
    return name.lower().endswith(UNPACKED)
