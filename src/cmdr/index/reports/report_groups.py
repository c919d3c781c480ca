"""Reports that count files in groups: by extension, category, age, size, owner and depth."""

import numpy as np

from cmdr.index.owners import user
from cmdr.index.reports.report_basis import Basis, Lines
from cmdr.model.names import to_wire

CATEGORIES: dict[str, str] = {
    "image": "jpg jpeg png gif webp svg bmp tif tiff heic heif avif ico raw cr2 nef arw dng psd xcf",
    "video": "mp4 mkv mov avi webm m4v wmv flv mpg mpeg 3gp ts",
    "audio": "mp3 flac wav ogg opus m4a aac wma aiff mid",
    "document": "pdf doc docx odt rtf txt md tex epub mobi xls xlsx ods csv ppt pptx odp html htm",
    "code": "py js ts tsx jsx c h cc cpp hpp rs go java kt rb php pl sh lua swift cs scala sql css scss vue ipynb",
    "archive": "zip gz bz2 xz zst 7z rar tar tgz deb rpm jar whl iso dmg apk cab",
    "data": "json yaml yml xml toml ini parquet sqlite db npy npz h5 avro arrow log",
    "binary": "o so a dll exe bin pyc class map wasm lib obj",
}
_CATEGORY_OF = {ext.encode(): name for name, line in CATEGORIES.items() for ext in line.split()}
_AGES = (("today", 1), ("week", 7), ("month", 30), ("quarter", 91), ("year", 365), ("3 years", 1096), ("older", None))
_SIZES = (0, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20, 100 << 20, 1 << 30, 10 << 30)
_SIZE_NAMES = ("empty", "< 1K", "< 10K", "< 100K", "< 1M", "< 10M", "< 100M", "< 1G", "< 10G", "10G and more")


def extensions(basis: Basis) -> Lines:
    """By extension."""
    files = basis.files()
    labels = ["." + to_wire(one) if one else "(none)" for one in basis.view.base.extensions]
    return basis.grouped(files, basis.view.gather("ext", files).astype(np.int64), labels)


def categories(basis: Basis) -> Lines:
    """By kind of contents, guessed from the extension."""
    files = basis.files()
    names = [*CATEGORIES, "other"]
    of_code = np.array([names.index(_CATEGORY_OF.get(one, "other")) for one in basis.view.base.extensions])
    return basis.grouped(files, of_code[basis.view.gather("ext", files)], names)


def ages(basis: Basis) -> Lines:
    """By how long ago files were changed."""
    files = basis.files()
    days = (basis.now_ns - basis.view.gather("mtime", files)) // 86_400_000_000_000
    edges = [most for _, most in _AGES if most is not None]
    # A time in the future is as young as can be.
    return basis.grouped(
        files, np.searchsorted(edges, np.maximum(days, 0), side="right"), [name for name, _ in _AGES], True
    )


def sizes(basis: Basis) -> Lines:
    """By size."""
    files = basis.files()
    sizes = basis.view.gather("size", files)
    group = np.where(sizes == 0, 0, np.searchsorted(_SIZES[1:], sizes, side="right") + 1)
    return basis.grouped(files, group, list(_SIZE_NAMES), True)


def owners(basis: Basis) -> Lines:
    """By owner."""
    files = basis.files()
    return basis.grouped(
        files, basis.view.gather("owner", files).astype(np.int64), [user(int(uid)) for uid in basis.view.base.owners]
    )


def depth(basis: Basis) -> Lines:
    """By depth below the root."""
    files = basis.files()
    depth = basis.view.dirs["ddepth"][basis.view.gather("pdir", files)].astype(np.int64) + 1
    labels = [str(i) for i in range(int(depth.max()) + 1 if len(depth) else 1)]
    return basis.grouped(files, depth, labels, True)
