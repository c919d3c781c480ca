"""Pictures for the terminal: a list of kinds told by their first bytes, decoded behind walls."""

import os
import struct
import time
import zlib

import pytest

from cmdr.files.process_sandbox.backend import BACKENDS, holds
from cmdr.files.viewing import decoding
from cmdr.files.viewing.images import Thumbnail, image_format, open_image
from cmdr.files.viewing.viewed_file import NotViewable

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

FORMATS = {
    "PNG": "png", "JPEG": "jpg", "GIF": "gif", "WEBP": "webp", "BMP": "bmp", "ICO": "ico", "TIFF": "tif",
    "AVIF": "avif", "PPM": "ppm",
}  # fmt: skip
POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n%%EndComments\nshowpage\n%%EOF\n"
PROGRAMS = {
    "PostScript": POSTSCRIPT,
    "DOS EPS": b"\xc5\xd0\xd3\xc6" + struct.pack("<7IH", 32, len(POSTSCRIPT), 0, 0, 0, 0, 0, 0) + POSTSCRIPT,
    "SVG": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "PDF": b"%PDF-1.7\n",
    "WMF": b"\xd7\xcd\xc6\x9a" + bytes(40),
    "FLI": bytes(4) + b"\x11\xaf" + bytes(200),
    "nothing": b"",
    "text": b"P is for picture",
}


def png(width, height, rows):
    """A picture in gray with these compressed rows."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture
def shown(tmp_path):
    """Show some bytes under a name."""

    def show(contents, name="photo.png", width=40, height=30):
        (tmp_path / name).write_bytes(contents)
        return Thumbnail(os.fsencode(tmp_path / name), width, height).run()

    return show


@pytest.fixture
def saved(tmp_path):
    """A red picture of some kind."""

    def save(format, size=(80, 40)):
        path = tmp_path / f"saved.{FORMATS[format]}"
        Image.new("RGB", size, (250, 10, 10)).save(path, format)
        return path.read_bytes()

    return save


@pytest.mark.parametrize("format", FORMATS)
def test_every_kind_on_the_list_is_shown_whatever_its_name(format, shown, saved):
    if format == "AVIF":
        pytest.importorskip("PIL._avif", reason="this Pillow has no AVIF")
    contents = saved(format)
    assert image_format(contents[:16]) == format
    rows = shown(contents, "named.txt")
    # An icon comes in sizes of its own.
    assert (len(rows[0]), len(rows)) == ((32, 16) if format == "ICO" else (40, 20))
    red, green, blue = rows[len(rows) // 2][len(rows[0]) // 2]
    assert red > 200
    assert green < 60
    assert blue < 60


@pytest.mark.parametrize("tier", BACKENDS)
def test_a_picture_is_shown_behind_every_kind_of_wall(tier, shown, saved, monkeypatch):
    if not holds(tier):
        pytest.skip(f"{tier} does not work here")
    monkeypatch.setattr(decoding, "proven_backend", lambda: tier)
    assert len(shown(saved("PNG"))) == 20
    with pytest.raises(NotViewable, match="damaged"):
        shown(saved("PNG")[:60])


@pytest.mark.parametrize("name", ["photo.png", "photo.eps", "photo.jpg"])
@pytest.mark.parametrize("what", PROGRAMS)
def test_a_program_in_a_picture_s_clothes_starts_nothing(what, name, shown, tmp_path, monkeypatch):
    """F3 on `photo.png` with PostScript inside handed it to Ghostscript."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for program in ("gs", "gswin64c"):
        (programs / program).write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(NotViewable, match="no picture that can be shown"):
        shown(PROGRAMS[what], name)
    assert not (tmp_path / "started").exists()


def test_the_beginning_of_one_kind_with_the_rest_of_another_is_no_way_around(shown, tmp_path, monkeypatch):
    for beginning in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b"II*\0", b"P6\n", b"\0\0\1\0\1\0"):
        with pytest.raises(NotViewable):
            shown(beginning + POSTSCRIPT)


def test_a_picture_that_says_it_is_vast_is_not_begun(shown):
    with pytest.raises(NotViewable, match="too large"):
        shown(png(2**31 - 1, 2**31 - 1, b""))


def test_a_small_file_that_unpacks_to_a_vast_picture_is_not_unpacked(shown):
    packed = zlib.compress(bytes(1 + 30_000 // 8) * 30_000)
    assert len(packed) < 1 << 20
    with pytest.raises(NotViewable, match="too large"):
        shown(png(30_000, 30_000, packed))


def test_a_picture_that_is_only_large_is_shown(shown):
    """The largest that is tried: a hundred and ninety million pixels."""
    rows = shown(png(13_800, 13_800, zlib.compress(bytes(1 + 13_800 // 8) * 13_800)))
    assert (len(rows[0]), len(rows)) == (30, 30)


@pytest.mark.parametrize("format", FORMATS)
def test_a_picture_that_ends_in_the_middle_is_refused_or_shown_in_part(format, shown, saved):
    whole = saved(format)
    for length in (16, len(whole) // 2):
        try:
            rows = shown(whole[:length])
        except NotViewable:
            continue
        assert 0 < len(rows) <= 30


@pytest.mark.parametrize(
    "made",
    [b"", b"\0" * 8, (40).to_bytes(4, "big") + (31).to_bytes(4, "big") + bytes(40 * 31 * 3), b"\xff" * 8,
     (2).to_bytes(4, "big") + (2).to_bytes(4, "big") + bytes(11)],
)  # fmt: skip
def test_a_decoder_is_not_believed(made, shown, saved, monkeypatch):
    monkeypatch.setattr(decoding, "WORKER", f"sys.stdout.buffer.write({made!r})")
    with pytest.raises(NotViewable, match="cannot be shown"):
        shown(saved("PNG"))


def test_only_ordinary_files_are_opened_and_nothing_is_waited_for(tmp_path, nothing_left_open):
    os.mkfifo(tmp_path / "pipe.png")
    with nothing_left_open():
        for path in (os.fsencode(tmp_path / "pipe.png"), b"/dev/zero", os.fsencode(tmp_path)):
            with pytest.raises(NotViewable, match="ordinary files"):
                open_image(path)
        with pytest.raises(OSError, match="No such file"):
            Thumbnail(b"/no/such.png", 10, 10)


def test_without_pillow_the_line_that_installs_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("cmdr.files.viewing.images.find_spec", lambda name: None)
    with pytest.raises(NotViewable, match="pip install pillow"):
        Thumbnail(b"/no/such.png", 10, 10)


def test_how_long_a_picture_takes(shown, saved, capsys):
    contents = saved("JPEG", (4000, 3000))
    shown(contents)
    started = time.perf_counter()
    shown(contents, width=200, height=100)
    with capsys.disabled():
        print(f" [a photo of 12 million pixels behind walls: {time.perf_counter() - started:.2f} s]", end="")
