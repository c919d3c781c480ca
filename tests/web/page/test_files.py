"""Looking into files: lines, bytes, pictures, facts, what fills a folder; never anything that runs."""

import os
import struct
import zlib

import pytest
from starlette.requests import ClientDisconnect

from cmdr.core.transfers.downloads import open_image
from cmdr.web.page.files import _ImageResponse

PNG = b"\x89PNG\r\n\x1a\n"


def png(width=1, height=1):
    """The smallest picture there is."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return PNG + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture
def lines(person):
    return lambda path, first=0: person.get("/page/lines", params={"path": str(path), "first": first}).json()


def test_a_large_text_is_told_a_stretch_at_a_time_to_its_end(lines, tmp_path):
    file = tmp_path / "large.log"
    file.write_text("".join(f"line {number}\n" for number in range(1300)) + "x" * 200_000)
    told, first = [], 0
    while True:
        page = lines(file, first)
        told += page["lines"]
        first += len(page["lines"])
        if not page["more"]:
            break
    assert told[:2] == ["line 0", "line 1"]
    assert told[1299] == "line 1299"
    assert len(told) == 1301
    assert len(told[-1]) < 5000


def test_a_file_that_changed_is_read_anew(lines, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("before\n")
    assert lines(file)["lines"] == ["before"]
    file.write_text("after, and longer\n")
    assert lines(file)["lines"] == ["after, and longer"]


def test_what_cannot_be_seen_in_a_text_becomes_a_sign(lines, tmp_path):
    file = tmp_path / "trojan.py"
    file.write_text("if user != 'a\u202e\u2066': \x1b[31m\x07\tok\n")
    assert lines(file)["lines"] == ["if user != 'a··': ␛[31m␇\tok"]


def test_no_text_is_shown_as_bytes(lines, tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(bytes(range(256)) * 64)
    page = lines(file)
    assert page["binary"] is True
    assert page["lines"][1].startswith("0000000010  10 11 12")
    assert page["more"] is True
    assert lines(file, 1023)["lines"][0].startswith("0000003ff0")


@pytest.mark.parametrize("path", ["", "relative", "/no/such/file", "/dev/zero", "/", "/tmp/\\u{0}x", "//"])
def test_what_is_no_file_is_refused_with_a_sentence(person, path):
    for address in ("lines", "text", "image", "find"):
        answer = person.get(f"/page/{address}", params={"path": path, "text": "x"})
        assert answer.status_code == 400, address
        assert answer.json()["error"].endswith(".")


def test_a_pipe_is_never_waited_for(person, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for address in ("lines", "image", "text"):
        assert person.get(f"/page/{address}", params={"path": str(tmp_path / "pipe")}).status_code == 400


def test_a_line_number_is_a_number(person, tmp_path):
    (tmp_path / "a").write_text("a")
    for first in ("x", "1.5", "-2", "9" * 13):
        assert person.get("/page/lines", params={"path": str(tmp_path / "a"), "first": first}).status_code == 400


def test_a_text_is_found_forwards_backwards_and_no_further(person, tmp_path):
    file = tmp_path / "log"
    file.write_text("".join(f"line {number}\n" for number in range(30_000)))

    def find(text, line=-1, back=0):
        asked = {"path": str(file), "text": text, "line": line, "back": back}
        return person.get("/page/find", params=asked).json()["line"]

    assert find("line 29999") == 29999
    assert find("line 777") == 777
    assert find("line 777", 777) == 7770
    assert find("line 777", 7770, back=1) == 777
    assert find("line 777", 777, back=1) is None
    assert find("nothing like it") is None
    assert find("line 0", 29999) is None


def test_a_text_with_what_cannot_be_seen_is_not_edited_blindly(person, tmp_path):
    (tmp_path / "seen.txt").write_text("plain\ttext\n")
    (tmp_path / "unseen.txt").write_text("a\u202eb\n")
    whole = person.get("/page/text", params={"path": str(tmp_path / "seen.txt")}).json()
    assert whole["text"] == "plain\ttext\n"
    assert len(whole["digest"]) == 64
    refused = person.get("/page/text", params={"path": str(tmp_path / "unseen.txt")})
    assert refused.status_code == 400
    assert "cannot be seen" in refused.json()["error"]


@pytest.mark.parametrize(
    ("start", "type"),
    [
        (png(), "image/png"),
        (b"\xff\xd8\xff\xe0rest of it", "image/jpeg"),
        (b"GIF89a and more bytes", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "image/avif"),
    ],
)
def test_a_picture_is_told_by_its_bytes_with_a_fixed_type(person, tmp_path, start, type):
    (tmp_path / "named.html").write_bytes(start)
    answer = person.get(person.get("/page/image", params={"path": str(tmp_path / "named.html")}).json()["href"])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == type
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.content == start


@pytest.mark.parametrize("start", [b"<svg xmlns='http://www.w3.org/2000/svg'>", b"<html>", b"", b"%PDF-1.7", b"<?xml"])
def test_what_could_run_is_never_a_picture(person, tmp_path, start):
    (tmp_path / "named.png").write_bytes(start)
    assert person.get("/page/image", params={"path": str(tmp_path / "named.png")}).status_code == 400


def test_facts_of_an_entry_and_where_a_link_leads(person, tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    told = dict(person.get("/page/info", params={"path": str(tmp_path / "a")}).json())
    assert told["Size"] == "5 B"
    assert told["Permissions"].startswith("-rw")
    assert dict(person.get("/page/info", params={"path": str(tmp_path / "link")}).json())["Leads to"] == "a"
    gone = person.get("/page/info", params={"path": str(tmp_path / "gone")}).json()
    assert ["", "It is gone, or cannot be read."] in gone


def test_what_fills_a_folder_is_read_once_then_told(page_server, person, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "large").write_bytes(b"x" * 30_000)
    (tmp_path / "<b>small").write_bytes(b"x" * 10_000)
    asked = {"path": str(tmp_path), "shape": "2"}
    scan = person.get("/page/treemap", params=asked).json()["scan"]
    page_server.run("await", {"job": scan, "timeout": 30}, _browser())
    told = person.get("/page/treemap", params=asked).json()
    assert [(tile["name"], tile["folder"]) for tile in told["tiles"]] == [("sub", True), ("<b>small", False)]
    assert [tile["share"] for tile in told["tiles"]] == ["75.0 %", "25.0 %"]
    assert told["wide"] == 2 * told["high"]
    areas = [tile["width"] * tile["height"] for tile in told["tiles"]]
    assert areas[0] == pytest.approx(3 * areas[1], rel=0.01)
    for shape in ("", "nan", "inf", "x", "-1"):
        assert person.get("/page/treemap", params=asked | {"shape": shape}).status_code == 200


def _browser():
    from cmdr.http.browser_login import BROWSER

    return BROWSER


async def test_a_picture_is_closed_when_its_reader_leaves_before_the_first_piece(tmp_path):
    (tmp_path / "picture").write_bytes(png())
    opened = await open_image(os.fsencode(tmp_path / "picture"))

    async def gone(message):
        raise OSError("the connection is gone")

    async def nothing():
        return {"type": "http.disconnect"}

    with pytest.raises(ClientDisconnect):
        await _ImageResponse(opened)({"type": "http", "method": "GET", "asgi": {"spec_version": "2.4"}}, nothing, gone)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened.descriptor)
