"""Looking at files directly: short answers, ranges, encodings, and nothing without a token."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hostile"))

from walls_ground import AGENT, Ground

from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.core.dispatch.registry import DEFAULT_TOOLSETS
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def ground(tmp_path):
    with Ground(tmp_path) as made:
        yield made


def body(answer):
    """What was read: everything after the first line."""
    assert answer.startswith("OK: "), answer
    return answer.partition("\n")[2]


def test_a_folder_is_listed_with_kinds_and_sizes(ground):
    (ground.root / "odd name.txt").write_text("12345")
    assert ground.ask("fs_list", path=".").splitlines() == [
        "OK: 3 entries",
        "f file.txt 7",
        'f "odd name.txt" 5',
        "d sub",
    ]


def test_a_long_folder_comes_in_pages(ground):
    for number in range(150):
        (ground.root / "sub" / "deep" / f"{number:03}").touch()
    first = ground.ask("fs_list", path="sub/deep").splitlines()
    assert len(first) == 102
    assert first[-1] == "… 50 more, offset 100"
    assert ground.ask("fs_list", path="sub/deep", offset=100).splitlines()[1] == "f 100 0"


def test_a_short_file_is_read_whole(ground):
    answer = ground.ask("fs_read", path="file.txt")
    mtime = os.stat(ground.root / "file.txt").st_mtime_ns
    assert answer == f"OK: lines 1-1, mtime {mtime}\ninside\n"


def test_the_seeds_dotted_names_work(ground):
    assert body(ground.ask("fs.read", path="file.txt")) == "inside\n"
    assert ground.ask("fs.exists", path="sub") == "OK: yes, folder"


def test_lines_are_counted_from_one(ground):
    (ground.root / "many").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    answer = ground.ask("fs_read", path="many", line=11, lines=2)
    assert body(answer) == "line 11\nline 12\n"
    assert answer.partition("\n")[0].endswith("more at line 13")
    assert body(ground.ask("fs_read", path="many", line=100)) == "line 100\n"
    assert "no lines here" in ground.ask("fs_read", path="many", line=101)


def test_bytes_are_counted_from_zero_and_never_cut_a_character(ground):
    (ground.root / "wide").write_text("aé€x")
    answer = ground.ask("fs_read", path="wide", offset=0, bytes=2)
    assert body(answer) == "a"
    assert answer.partition("\n")[0].endswith("more at offset 1")
    assert body(ground.ask("fs_read", path="wide", offset=1, bytes=5)) == "é€"


@pytest.mark.parametrize("text", ["x" * 200_000, "word " * 50 + "\n", "ä" * 100_000, "€" * 60_000, "a\n" * 90_000])
def test_a_long_file_can_be_read_to_its_end_in_pieces(ground, text):
    text *= 1 if len(text) > 1000 else 400
    (ground.root / "long").write_text(text)
    got, more = "", {"offset": 0}
    for _ in range(60):
        answer = ground.ask("fs_read", path="long", **more)
        assert len(answer) <= 20_000
        got += body(answer)
        head = answer.partition("\n")[0]
        if "more at" not in head:
            break
        more = {"offset": int(head.rpartition(" ")[2])}
    assert got == text


def test_lines_lead_through_a_whole_file_too(ground):
    rows = [f"{number} " + "x" * (number % 300) for number in range(3000)]
    (ground.root / "rows").write_text("\n".join(rows))
    got, line = "", 1
    while line:
        answer = ground.ask("fs_read", path="rows", line=line)
        got += body(answer)
        head = answer.partition("\n")[0]
        line = int(head.rpartition(" ")[2]) if "more at line" in head else 0
    assert got == "\n".join(rows)


def test_a_line_longer_than_an_answer_goes_on_by_bytes(ground):
    (ground.root / "one").write_text("y" * 100_000)
    assert "more at offset" in ground.ask("fs_read", path="one", line=1).partition("\n")[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1", "cp1252"])
def test_other_encodings_are_read(ground, encoding):
    (ground.root / "other").write_bytes("Grüße\nzwei\n".encode(encoding))
    given = {} if encoding != "cp1252" else {"encoding": "cp1252"}
    answer = ground.ask("fs_read", path="other", **given)
    assert body(answer) == "Grüße\nzwei\n"
    assert encoding in answer.partition("\n")[0] or encoding == "latin-1"


def test_an_encoding_that_does_not_exist_is_an_error(ground):
    for name in ("klingon", "hex", "rot13", "\0", "unicode_escape", "utf-7", "idna", "punycode", "undefined"):
        assert ground.ask("fs_read", path="file.txt", encoding=name).startswith("ERROR: There is no such encoding")


def test_every_other_encoding_answers_with_text_that_can_be_sent(ground):
    from encodings.aliases import aliases

    (ground.root / "odd").write_bytes(bytes(range(256)) * 3 + b"\\ud800 +2AA- \n" * 5)
    for encoding in sorted(set(aliases.values())):
        for span in ({}, {"line": 2}, {"offset": 3, "bytes": 50}):
            answer = ground.ask("fs_read", path="odd", encoding=encoding, **span)
            assert answer.startswith(("OK: ", "ERROR: ")), encoding
            answer.encode("utf-8")


def test_binary_files_are_told_by_their_facts(ground):
    (ground.root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    answer = ground.ask("fs_read", path="image.png")
    assert "is not text, 108 bytes" in answer
    assert "89 50 4e 47" in answer


def test_a_pipe_is_neither_read_nor_waited_for(ground):
    os.mkfifo(ground.root / "pipe")
    assert ground.ask("fs_read", path="pipe").startswith("ERROR: ")
    assert ground.ask("fs_exists", path="pipe") == "OK: yes, pipe"


def test_facts_tell_what_a_later_write_can_expect(ground):
    answer = ground.ask("fs_stat", path="file.txt")
    assert "size: 7" in answer
    assert "sha256: 7b2441693c861bf6969869d8b6f45f098bc8ef07b78ca043a1cb663159aabb10" in answer
    (ground.root / "alias").symlink_to("file.txt")
    assert "target: file.txt" in ground.ask("fs_stat", path="alias")


def test_what_is_not_there_is_simply_no(ground):
    assert ground.ask("fs_exists", path="nothing") == "OK: no"
    assert ground.ask("fs_exists", path="file.txt/x") == "OK: no"
    assert ground.ask("fs_exists", path="../outside").startswith("ERROR: ")


def test_a_caller_without_a_token_gets_no_contents_and_sees_no_tools(ground):
    assert not [name for name in ground.names(SAME_USER) if name.startswith(("fs_", "shell"))]
    for tool in ("fs_read", "fs_list", "fs_exists", "fs_stat"):
        assert ground.ask(tool, SAME_USER, path="file.txt").startswith("UNKNOWN")
        assert "inside" not in ground.ask("command", SAME_USER, id=tool, args={"path": "file.txt"})


def test_reading_is_on_unless_the_person_takes_the_toolset_away(tmp_path):
    with Ground(tmp_path / "usual", write=False, toolsets=DEFAULT_TOOLSETS) as made:
        assert made.ask("fs_read", path="file.txt") == "OK: lines 1-1\ninside\n"
        assert {name for name in made.names() if name.startswith("fs_")} == {
            "fs_read",
            "fs_list",
            "fs_exists",
            "fs_stat",
            "fs_diff",
        }
    with Ground(tmp_path / "less", write=False, toolsets=DEFAULT_TOOLSETS - {"fs"}) as made:
        assert not [name for name in made.names() if name.startswith("fs_")]
        assert made.ask("fs_read", path="file.txt").startswith("UNKNOWN")
        assert "inside" not in made.ask("command", id="fs_read", args={"path": "file.txt"})


def test_a_client_is_held_to_its_own_roots(ground):
    narrow = Principal("agent", "narrow", token=True, roots=(RootSpec(os.fsencode(ground.root / "sub")),))
    assert body(ground.ask("fs_read", narrow, path="inner.txt")) == "inner\n"
    for path in ("../file.txt", f"{ground.root}/file.txt"):
        assert ground.ask("fs_read", narrow, path=path).startswith("ERROR: ")
    nowhere = Principal("agent", "nowhere", token=True, roots=())
    assert ground.ask("fs_list", nowhere, path="/").startswith("ERROR: ")
    gone = Principal("agent", "gone", token=True, roots=(RootSpec(b"/no/such/folder"),))
    assert ground.ask("fs_list", gone, path="/").startswith("ERROR: The root")


def test_context_is_told_in_one_line(ground):
    assert ground.ask("context_get_focused_pane") == "OK: left"
    assert ground.ask("context.getCurrentPaths") == f'OK: {{"left": "{ground.root}", "right": "{ground.outside}"}}'
    assert ground.ask("context_get_selection") == f'OK: ["{ground.root}/sub"]'
    ground.ask("select", AGENT, pane="left", count="all")
    assert ground.ask("context_get_selection") == f'OK: ["{ground.root}/sub", "{ground.root}/file.txt"]'


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_negative_line_counts_from_the_end(ground, end):
    (ground.root / "log").write_text("\n".join(f"line {number}" for number in range(1, 101)) + end)
    answer = ground.ask("fs_read", path="log", line=-3)
    assert answer.partition("\n")[0].split(", ")[0] == "OK: lines 98-100"
    assert body(answer) == f"line 98\nline 99\nline 100{end}"
    assert body(ground.ask("fs_read", path="log", line=-3, lines=1)) == "line 98\n"
    assert "more at line 99" in ground.ask("fs_read", path="log", line=-3, lines=1)
    assert body(ground.ask("fs_read", path="log", line=-1000, lines=1)) == "line 1\n"
    assert '"line" counts from 1' in ground.ask("fs_read", path="log", line=0)


def test_the_tail_of_a_long_log_is_found_from_its_end(ground, monkeypatch):
    rows = [f"row {number} {'x' * 200}" for number in range(5000)]
    (ground.root / "log").write_text("\n".join(rows) + "\n")
    answer = ground.ask("fs_read", path="log", line=-2)
    assert "lines 4999-5000," in answer
    assert body(answer) == "\n".join(rows[-2:]) + "\n"
    some = ground.ask("fs_read", path="log", line=-3000, lines=1)
    assert "lines 2001-2001," in some
    monkeypatch.setattr("cmdr.files.viewing.text_range._MAX_SCANNED_BYTES", 300_000)
    assert "bytes " in ground.ask("fs_read", path="log", line=-2).partition("\n")[0]
    assert "cannot be counted" in ground.ask("fs_read", path="log", line=-4000)


def test_a_negative_offset_counts_bytes_from_the_end_and_cuts_no_character(ground):
    (ground.root / "wide").write_text("aé€z")
    assert body(ground.ask("fs_read", path="wide", offset=-1)) == "z"
    assert body(ground.ask("fs_read", path="wide", offset=-4)) == "€z"
    assert body(ground.ask("fs_read", path="wide", offset=-3)) == "z"
    assert "bytes 0-7" in ground.ask("fs_read", path="wide", offset=-200)
    (ground.root / "utf16").write_text("abc\n", encoding="utf-16")
    assert body(ground.ask("fs_read", path="utf16", offset=-3)) == "c\n"
    assert "cannot be counted" in ground.ask("fs_read", path="utf16", line=-1)
    (ground.root / "empty").write_text("")
    assert "no lines here" in ground.ask("fs_read", path="empty", line=-1)
    assert body(ground.ask("fs_read", path="empty", offset=-5)) == ""
    (ground.root / "latin").write_bytes(b"caf\xe9s")
    assert body(ground.ask("fs_read", path="latin", offset=-2)) == "és"


def test_several_files_are_read_in_one_call_under_their_names(ground):
    (ground.root / "b.txt").write_text("bee")
    (ground.root / "odd name").write_text("odd\n")
    with Ground(ground.home, write=False) as reader:
        answer = reader.ask(
            "fs_read", path=["file.txt", "b.txt", "odd name", "gone", "sub", f"{ground.root}/sub/inner.txt"]
        )
    assert answer == (
        "OK: ==> file.txt <==\ninside\n==> b.txt <==\nbee\n"
        '==> "odd name" <==\nodd\n'
        f"==> gone <==\nPath not found: {ground.root}/gone\n"
        f"==> sub <==\n{ground.root}/sub is a folder. List it with fs_list.\n"
        f"==> {ground.root}/sub/inner.txt <==\ninner\n"
    )
    assert ground.ask("fs_read", paths=["gone", "../outside/secret.txt"]).startswith("ERROR: ==> gone <==")
    assert ground.ask("fs_read").startswith('ERROR: Give "path"')
    assert ground.ask("fs_read", path=[]).startswith('ERROR: Give "path"')


def test_several_files_share_one_answer_and_each_says_where_it_goes_on(ground):
    (ground.root / "short").write_text("one\n")
    for name in ("long", "longer"):
        (ground.root / name).write_text("".join(f"{number:05}\n" for number in range(20_000)))
    answer = ground.ask("fs_read", path=["long", "short", "longer"])
    assert len(answer) <= 20_000
    assert "\n==> short mtime " in answer
    for name in ("long", "longer"):
        head = next(line for line in answer.splitlines() if f"==> {name} lines 1-" in line)
        last, following = (
            int(head.split("lines 1-")[1].split(",")[0]),
            int(head.split("more at line ")[1].split(" ")[0]),
        )
        assert following == last + 1
        assert body(ground.ask("fs_read", path=name, line=following, lines=1)) == f"{last:05}\n"
        assert last > 1000


def test_more_files_than_one_answer_holds_are_counted(ground):
    for number in range(60):
        (ground.root / "sub" / "deep" / f"{number:02}.md").write_text(f"{number}\n")
    answer = ground.ask("fs_read", path="sub/deep/*.md")
    assert answer.count("==> sub/deep/") == 50
    assert answer.endswith("… 10 files more: ask for them alone")


def test_a_pattern_means_the_files_of_one_folder(ground):
    (ground.root / "a.py").write_text("1\n2\n")
    (ground.root / "b.py").write_text("3\n")
    (ground.root / ".hidden.py").write_text("4\n")
    (ground.root / "we*rd.py").write_text("5\n")
    assert ground.ask("fs_read", path="*.py", count=True) == "OK: 2 a.py\n1 b.py\n1 we*rd.py\n4 total"
    assert ground.ask("fs_read", path=".*.py", count=True) == "OK: 1 .hidden.py"
    assert ground.ask("fs_read", path="we*rd.py", count=True) == "OK: 1 we*rd.py"
    assert ground.ask("fs_read", path="*.rs").startswith("ERROR: No file matches *.rs: a pattern is for one folder.")
    assert ground.ask("fs_read", path="../*").startswith("ERROR: ")


def test_lines_are_counted_without_being_read(ground):
    (ground.root / "three").write_text("1\n2\n3")
    (ground.root / "wide").write_text("1\nĊ\n", encoding="utf-16")
    (ground.root / "empty").write_text("")
    (ground.root / "image").write_bytes(bytes(300))
    assert ground.ask("fs_read", path="three", count=True) == "OK: 3 three"
    answer = ground.ask("fs_read", path=["three", "wide", "empty", "image", "gone"], count=True)
    assert answer.splitlines() == [
        "OK: 3 three",
        "2 wide",
        "0 empty",
        "image: is not text, 300 bytes",
        f"gone: Path not found: {ground.root}/gone",
        "5 total",
    ]
    assert ground.ask("fs_read", path="gone", count=True).startswith("ERROR: Path not found")


def test_of_very_many_files_the_longest_are_told_and_all_are_counted(ground):
    for number in range(80):
        (ground.root / "sub" / "deep" / f"{number:02}").write_text("x\n" * number)
    told = ground.ask("fs_read", path="sub/deep/*", count=True).splitlines()
    assert told[0] == "OK: 79 sub/deep/79"
    assert told[-2:] == ["… 30 files more", f"{sum(range(80))} total in 80 files"]


def test_the_tail_of_a_file_keeps_its_end_when_it_does_not_fit(ground):
    (ground.root / "log").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    assert body(ground.ask("fs_read", path="log", tail=2)) == "line 99\nline 100\n"
    assert ground.ask("fs_read", path="log", tail=2).startswith("OK: lines 99-100, mtime")
    assert body(ground.ask("fs_read", path="log", tail=1000)).startswith("line 1\n")
    (ground.root / "rows").write_text("".join(f"{number:05} {'x' * 94}\n" for number in range(1, 1001)))
    cut = ground.ask("fs_read", path="rows", tail=500)
    assert body(cut).endswith(f"01000 {'x' * 94}\n")
    first = int(cut.split("lines ")[1].split("-")[0])
    assert body(cut).startswith(f"{first:05} ")
    assert 800 < first < 900
    (ground.root / "one").write_text("y" * 50_000)
    assert "more at offset" in ground.ask("fs_read", path="one", tail=1)
    assert "not both" in ground.ask("fs_read", path="log", tail=2, line=3)


def test_several_paths_are_listed_looked_at_and_told_in_one_call(ground):
    assert (
        ground.ask("fs_exists", path=["file.txt", "gone", "sub"])
        == "OK: file.txt: yes, file\ngone: no\nsub: yes, folder"
    )
    assert ground.ask("fs_exists", path=["file.txt", "../outside"]).count("outside the folders") == 1
    listed = ground.ask("fs_list", path=["sub", "sub/deep"]).splitlines()
    assert listed[0] == "OK: ==> sub <=="
    assert "f inner.txt 6" in listed
    assert listed[-2:] == ["==> sub/deep <==", "0 entries"]
    first, second = ground.ask("fs_stat", path=["file.txt", "gone"]).splitlines()
    assert first.startswith("OK: file.txt: file 7 20")
    assert second == f"gone: Path not found: {ground.root}/gone"
    assert ground.ask("fs_list", path=[]).startswith('ERROR: "path" is an empty list')
    assert "at most 200" in ground.ask("fs_exists", path=["x"] * 201)
