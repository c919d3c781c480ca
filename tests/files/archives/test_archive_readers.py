"""Reading archives that are broken in every way: an error in words, and never anything else."""

import io
import os
import struct
import sys
import tarfile
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "engine"))

from archive_ground import OFFSET, PACKED, SIZE, Put, tar_of, with_field, zip_of

from cmdr.files.archives.archive_file import LATEST_NS, ArchiveBytes, BadArchive, looks_like_archive
from cmdr.files.archives.decompression import decompressed, gzip
from cmdr.files.archives.opening import open_archive
from cmdr.files.archives.tar_reader import header_mtime_ns, header_number, member_size, parse_pax_records
from cmdr.files.archives.zip_reader import find_directory
from cmdr.files.viewing import archive_list as listing
from cmdr.files.viewing.archive_list import list_text
from cmdr.model.plans.plan_item import Kind


def reader(data):
    return lambda count, at: data[at : at + count]


def opened(data):
    return open_archive(reader(data), len(data))


def entries(data):
    return list(opened(data).entries(lambda: None))


def read(data):
    """Everything in an archive, by name."""
    archive = opened(data)
    return {
        entry.member.name: b"".join(archive.contents(entry.member, lambda: None))
        for entry in archive.entries(lambda: None)
        if entry.kind is Kind.FILE and entry.twin is None and not entry.wrong
    }


SAMPLES = [
    zip_of(Put("t/a", b"one" * 100), Put("t/l", kind="link", link="a"), Put("t/s", b"x", method=0)),
    tar_of(Put("t/a", b"one" * 100), Put("t/" + "n" * 150, b"long"), Put("t/l", kind="link", link="a")),
    tar_of(Put("t/a", b"one" * 100), Put("t/" + "n" * 150, b"long"), format=tarfile.GNU_FORMAT),
    tar_of(Put("t/a", b"one" * 100), press="gz"),
    tar_of(Put("t/a", b"one" * 100), press="bz2"),
    tar_of(Put("t/a", b"one" * 100), press="xz"),
]


@settings(max_examples=400, deadline=None)
@given(
    sample=st.sampled_from(range(len(SAMPLES))),
    changes=st.lists(st.tuples(st.integers(0, 20000), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 20000),
)
def test_whatever_is_changed_in_an_archive_the_answer_is_an_error_in_words(sample, changes, cut):
    data = bytearray(SAMPLES[sample])
    for place, value in changes:
        data[place % len(data)] = value
    if cut < len(data):
        del data[cut:]
    try:
        archive = opened(bytes(data))
        for entry in archive.entries(lambda: None):
            got = 0
            try:
                for piece in archive.contents(entry.member, lambda: None):
                    got += len(piece)
            except BadArchive:
                break
            assert got <= max(entry.member.size, 0)
    except BadArchive as problem:
        assert str(problem)


@pytest.mark.parametrize("sample", range(len(SAMPLES)))
def test_short_reads_make_no_difference(sample):
    data = SAMPLES[sample]
    archive = open_archive(lambda count, at: data[at : at + min(count, 7)], len(data))
    whole = {entry.member.name: entry for entry in archive.entries(lambda: None)}
    assert whole == {entry.member.name: entry for entry in entries(data)}
    assert b"".join(archive.contents(whole[b"t/a"].member, lambda: None)) == b"one" * 100


def test_long_names_of_every_kind_of_tar_are_whole():
    for format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
        long = "d" * 90 + "/" + "n" * 90
        assert read(tar_of(Put(long, b"x"), format=format)) == {long.encode(): b"x"}
    link = "l" * 120
    for format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        (found,) = entries(tar_of(Put("a", kind="link", link=link), format=format))
        assert found.member.link == link.encode()


def test_records_that_count_for_all_members_do():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"mtime": "12.5"}) as archive:
        info = tarfile.TarInfo("a")
        archive.addfile(info)
    assert entries(out.getvalue())[0].member.mtime_ns == 12_500_000_000


def test_times_are_read_to_the_nanosecond_and_kept_within_bounds():
    block = bytes(512)
    assert header_mtime_ns(block, {b"mtime": b"12.123456789"}) == 12_123_456_789
    assert header_mtime_ns(block, {b"mtime": b"-5"}) == 0
    assert header_mtime_ns(block, {b"mtime": b"999999999999"}) == LATEST_NS
    assert header_mtime_ns(block, {b"mtime": b"nonsense"}) == 0
    assert header_mtime_ns(bytes(136) + b"nonsense1234" + bytes(364), {}) is None


def test_numbers_in_headers_may_be_large_and_must_be_numbers():
    assert header_number(b"0000644\0") == 0o644
    assert header_number(b"\x80" + (1 << 40).to_bytes(11, "big")) == 1 << 40
    assert header_number(b"        ") == 0
    for bad in (b"12x4567\0", b"\xff" * 12, b"99999999"):
        with pytest.raises(BadArchive):
            header_number(bad)
    with pytest.raises(BadArchive):
        member_size(bytes(512), {b"size": b"-1"})
    with pytest.raises(BadArchive):
        member_size(bytes(512), {b"size": b"9" * 19})
    assert member_size(bytes(512), {b"size": b"12"}) == 12


@pytest.mark.parametrize("bad", [b"x", b"99 a=b\n", b"2 \n", b"7 a=b\n", b"6 a=bc"])
def test_records_must_be_whole(bad):
    with pytest.raises(BadArchive):
        parse_pax_records(bad)
    assert parse_pax_records(b"6 a=b\n6 c=d\n\0\0") == {b"a": b"b", b"c": b"d"}


def test_words_before_a_member_have_a_bound():
    data = bytearray(tar_of(Put("n" * 200, b"x"), format=tarfile.GNU_FORMAT))
    data[124:136] = b"%011o\0" % (1 << 30)
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    with pytest.raises(BadArchive, match="longer than any name"):
        entries(bytes(data))


def test_files_with_holes_in_the_forms_of_gnu_are_told(tmp_path):
    data = bytearray(tar_of(Put("t/a", b"x" * 600), Put("t/b", b"y"), format=tarfile.GNU_FORMAT))
    data[156:157] = b"S"
    data[482] = 1
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    more = bytearray(bytes(512))
    data[512:512] = more
    found = entries(bytes(data))
    assert [entry.wrong.split(",")[0] for entry in found] == ["it is a file with holes", ""]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("a")
        info.pax_headers = {"GNU.sparse.major": "1"}
        archive.addfile(info)
    assert entries(out.getvalue())[0].wrong.startswith("it is a file with holes")


def test_folders_of_old_tars_end_in_a_slash_and_odd_modes_are_none():
    data = bytearray(tar_of(Put("t/", b""), format=tarfile.USTAR_FORMAT))
    data[156:157] = b"\0"
    data[100:108] = b"nonsense"
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    (found,) = entries(bytes(data))
    assert (found.kind, found.mode) == (Kind.FOLDER, None)


def test_names_and_links_that_are_too_long_are_cut_and_told():
    found = entries(tar_of(Put("n/" * 3000, b"x"), Put("l", kind="link", link="x" * 5000)))
    assert {entry.wrong for entry in found} == {"its name is longer than any name may be"}
    assert all(len(entry.member.name) <= 4096 for entry in found)


def test_a_damaged_header_in_the_middle_is_told():
    data = bytearray(tar_of(Put("t/a", b"x"), Put("t/b", b"y"), format=tarfile.USTAR_FORMAT))
    data[1024 + 3] ^= 1
    with pytest.raises(BadArchive, match="a header in it is damaged"):
        entries(bytes(data))


def test_a_tar_without_its_last_blocks_is_whole():
    data = tar_of(Put("t/a", b"x"), format=tarfile.USTAR_FORMAT)
    assert read(data[:1024]) == {b"t/a": b"x"}
    with pytest.raises(BadArchive, match="cut short"):
        entries(data[:1100])


def test_large_zips_tell_their_numbers_elsewhere():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("t/a", "w", force_zip64=True) as member:
        member.write(b"one")
    data = out.getvalue()
    assert read(data) == {b"t/a": b"one"}
    # The same with an end that points to a larger one.
    end = data.index(b"PK\5\6")
    at = data.index(b"PK\1\2")
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, end - at, at)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    assert read(data[:end] + large + locator + tail) == {b"t/a": b"one"}
    with pytest.raises(BadArchive):
        entries(data[:end] + tail)


def test_numbers_too_large_to_be_true_are_damage():
    plain = zip_of(Put("a", b"one"))
    at, end = plain.index(b"PK\1\2"), plain.index(b"PK\5\6")
    extra = struct.pack("<2H3Q", 1, 24, 1 << 63, 1, 0)
    row = bytearray(plain[at:end])
    for place in (PACKED, SIZE):
        struct.pack_into("<L", row, place, 0xFFFFFFFF)
    struct.pack_into("<H", row, 30, len(extra))
    tail = bytearray(plain[end:])
    struct.pack_into("<L", tail, 12, end - at + len(extra))
    with pytest.raises(BadArchive, match="its list is damaged"):
        entries(plain[:at] + bytes(row) + extra + bytes(tail))


def test_a_zip_may_stand_behind_something_else_and_before_a_comment():
    data = zip_of(Put("t/a", b"one"))
    assert read(b"#!/bin/sh\nunpack me\n" + data) == {b"t/a": b"one"}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", "one")
        archive.comment = b"PK\5\6 is how it ends"
    assert read(out.getvalue()) == {b"a": b"one"}


def test_one_part_of_several_is_told():
    data = bytearray(zip_of(Put("a", b"one")))
    struct.pack_into("<H", data, data.index(b"PK\5\6") + 4, 3)
    with pytest.raises(BadArchive, match="one part of several"):
        find_directory(ArchiveBytes(reader(bytes(data)), len(data)))


def test_a_list_that_is_none_is_damage():
    data = zip_of(Put("a", b"one"))
    with pytest.raises(BadArchive, match="its list is damaged"):
        entries(data.replace(b"PK\1\2", b"PK\1\3"))
    with pytest.raises(BadArchive):
        entries(with_field(data, OFFSET, 0x7FFFFFFF))


def test_odd_extra_fields_and_dates_do_no_harm():
    data = zip_of(Put("a", b"one"))
    for value in (0, 0xFFFFFFFF, 0x00210000, 0xFF9FBF7D):
        assert len(entries(with_field(data, 12, value))) == 1
    at, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    for extra in (b"\1\0\xff\xff", b"UT\x05\0\1\1\0\0\0", b"UT\x01\0\1", b"up\x01\0\1"):
        row = bytearray(data[at:end])
        struct.pack_into("<H", row, 30, len(extra))
        tail = bytearray(data[end:])
        struct.pack_into("<L", tail, 12, end - at + len(extra))
        (found,) = entries(data[:at] + bytes(row) + extra + bytes(tail))
        assert found.member.name == b"a"
        if extra.startswith(b"UT\x05"):
            assert found.member.mtime_ns == 10**9


def test_one_stream_behind_another_is_gone_on_with_and_rubbish_is_not():
    tar = tar_of(Put("t/a", b"one" * 9999), format=tarfile.USTAR_FORMAT)
    first, second = zlib.compress(tar[:700], wbits=31), zlib.compress(tar[700:], wbits=31)
    assert read(first + b"\0\0\0" + second + b"rubbish") == {b"t/a": b"one" * 9999}
    assert b"".join(decompressed(iter([first]), gzip)) == tar[:700]
    parts = [first + second[:1], second[1:]]
    assert b"".join(decompressed(iter(parts), gzip, b"\x1f\x8b")) == tar


def test_a_pressed_archive_checks_itself_at_its_end():
    data = bytearray(tar_of(Put("t/a", b"one" * 9999), press="gz"))
    data[-6] ^= 0xFF
    with pytest.raises(BadArchive, match="damaged"):
        entries(bytes(data))


def test_a_list_to_look_at_is_bounded_and_tells_where_it_ends(monkeypatch):
    data = zip_of(*(Put(f"t/{number}", b"x") for number in range(5)), Put("t/l", kind="link", link="\x1b[2J"))
    text = list_text(reader(data), len(data)).decode()
    assert text.startswith("6 names, 5 B when unpacked\n\n")
    assert "t/l → \\u{1b}[2J" in text
    monkeypatch.setattr(listing, "MAX_NAMES", 3)
    text = list_text(reader(data), len(data)).decode()
    assert text.startswith("3 names so far, 3 B when unpacked")
    assert text.endswith("… and more: only the first 3 names are listed\n")
    monkeypatch.setattr(listing, "TIME_LIMIT_S", -1.0)
    assert "it takes too long" in list_text(reader(data), len(data)).decode()


def test_a_damaged_list_is_shown_as_far_as_it_goes():
    puts = (Put("t/", kind="folder"), Put("t/p", kind="pipe"), Put("t/h", kind="hard link", link="t/a"))
    data = bytearray(tar_of(Put("t/a", b"x"), *puts, Put("t/b", b"y")))
    assert b"t/h = t/a\n" in list_text(reader(bytes(data)), len(data))
    cut = bytes(data)[: data.index(b"t/b") + 200]
    assert "… and here the list ends: it ends in the middle" in list_text(reader(cut), len(cut)).decode()
    assert list_text(reader(b"plain"), 5) is None


def test_what_looks_like_an_archive_begins_like_one():
    assert all(map(looks_like_archive, SAMPLES))
    assert not looks_like_archive(b"plain text" * 60)
    assert not looks_like_archive(b"")


def test_a_file_that_is_shorter_than_it_says_is_cut_short():
    with pytest.raises(BadArchive, match="cut short"):
        ArchiveBytes(reader(b"short"), 100).exactly(50, 0)
    data = tar_of(Put("t/a", b"one" * 1000), format=tarfile.USTAR_FORMAT)
    (found, *_) = entries(data)
    archive = open_archive(reader(data[:1500]), len(data))
    with pytest.raises(BadArchive, match="cut short"):
        b"".join(archive.contents(found.member, lambda: None))
    packed = tar_of(Put("t/a", b"one" * 1000), Put("t/b", b"two"), press="gz")
    archive = opened(packed)
    with pytest.raises(BadArchive, match="cut short"):
        list(archive.contents(found.member._replace(at=1 << 30), lambda: None))
    text = list_text(reader(data), len(data)).decode()
    assert "t/a" in text
    assert "(it is of a kind" in list_text(*_listed(tar_of(Put("t/q", kind="unknown")))).decode()


def _listed(data):
    return reader(data), len(data)
