"""How the first bytes of archives look; light enough to be asked about every file that is looked at."""

ZIP = (b"PK\3\4", b"PK\5\6", b"PK\6\6")
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
HEAD = 512
"""Bytes that tell."""


def looks_like_archive(head: bytes) -> bool:
    """Whether a file may be an archive that can be read, as far as its first bytes tell."""
    return head.startswith((*ZIP, GZIP, BZIP2, XZ)) or head[257:262] == b"ustar"
