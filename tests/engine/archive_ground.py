"""Archives for tests: honest ones, and ones that nobody would make who means well."""

import io
import os
import stat
import struct
import tarfile
import zipfile
from dataclasses import dataclass

MODES = {"file": stat.S_IFREG, "folder": stat.S_IFDIR, "link": stat.S_IFLNK, "pipe": stat.S_IFIFO}


@dataclass
class Put:
    """Something to be put into an archive under a name that may be anything."""

    name: str
    data: bytes = b""
    kind: str = "file"
    mode: int = 0o644
    link: str = ""
    method: int = zipfile.ZIP_DEFLATED


def zip_of(*puts: Put, system: int = 3) -> bytes:
    """A zip, with names exactly as they are given."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for put in puts:
            info = zipfile.ZipInfo("x", (2001, 2, 3, 4, 5, 6))
            info.filename = put.name  # past what its maker would do to it
            info.create_system = system
            info.external_attr = (MODES[put.kind] | put.mode) << 16 | (0x10 if put.kind == "folder" else 0)
            info.compress_type = put.method
            archive.writestr(info, put.link.encode() if put.kind == "link" else put.data)
    return out.getvalue()


TYPES = {
    "file": tarfile.REGTYPE,
    "folder": tarfile.DIRTYPE,
    "link": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "pipe": tarfile.FIFOTYPE,
    "device": tarfile.CHRTYPE,
    "unknown": b"Q",
}


def tar_of(*puts: Put, press: str = "", format: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar, with names exactly as they are given."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{press}", format=format) as archive:
        for put in puts:
            info = tarfile.TarInfo(put.name)
            info.type, info.mode, info.linkname, info.mtime = TYPES[put.kind], put.mode, put.link, 981173106
            info.size = len(put.data)
            archive.addfile(info, io.BytesIO(put.data))
    return out.getvalue()


def with_field(archive: bytes, at: int, value: int, code: str = "<L", which: int = 0) -> bytes:
    """A zip whose list says something else about one of its members."""
    place = -1
    for _ in range(which + 1):
        place = archive.index(b"PK\1\2", place + 1)
    changed = bytearray(archive)
    struct.pack_into(code, changed, place + at, value)
    return bytes(changed)


FLAGS, METHOD, CRC, PACKED, SIZE, OFFSET, SYSTEM = 8, 10, 16, 20, 24, 42, 5


def looks(top: bytes) -> dict[bytes, tuple[int, int, bytes]]:
    """Every name below a folder: what it is with its permissions, its second, and what it holds."""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = folder + b"/" + name
            facts = os.lstat(path)
            held = b""
            if stat.S_ISLNK(facts.st_mode):
                held = os.readlink(path)
            elif stat.S_ISREG(facts.st_mode):
                with open(path, "rb") as file:
                    held = file.read()
            found[path[len(top) + 1 :]] = (facts.st_mode, facts.st_mtime_ns // 10**9, held)
    return found
