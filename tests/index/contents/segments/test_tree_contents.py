"""The index of contents of a tree: never a file too few, whatever was changed, damaged or killed."""

import json
import os
import random
import signal
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.compiled_scanner import CompiledScanner
from cmdr.index.contents.file_list import FileList
from cmdr.index.contents.python_scanner import PythonScanner
from cmdr.index.contents.searching import ScanLimits
from cmdr.index.contents.segments import tree_contents
from cmdr.index.contents.segments.build import BuildOptions
from cmdr.index.contents.segments.files_to_index import check_room, estimate, files_to_index
from cmdr.index.contents.segments.tree_contents import TreeContents
from cmdr.index.errors import Cancelled, DiskFull, NoContents, ScanRunning, WalkFailed
from cmdr.index.library import Library
from cmdr.index.snapshots.columns import FORMAT_FILE
from cmdr.model.contents import ContentPattern, SearchCoverage
from cmdr.model.trees.indexes import WalkOptions

pytestmark = pytest.mark.skipif(contents_library() is None, reason="the library of contents was not built here")
FEW = WalkOptions(workers=1, nice=0)
AT_ONCE = BuildOptions(workers=1, nice=0, racy_ns=0)
WORDS = "fox Fox quick brown return self import kelvin \u212aelvin \u017felf straße über".split()
WORDS += "файл Файлы 漢字検索 検索 x= 12 ;".split()
PATTERNS = [
    *(ContentPattern(text) for text in ("fox", "kelvin", "self", "ab", "nothing of it", "ÜBER", "файл", "quick brown")),
    *(ContentPattern(text, False, True) for text in ("Fox", "файл", "漢字検", "検索", "straße", "x= 12", "é")),
    *(ContentPattern(text, True) for text in (r"fo[xy]\s", "brown|import", r"^\d", r"über.*fox", "kelvin")),
    *(ContentPattern(text, True, True) for text in (r"файлы?", "漢字|quick br", r"\bself\b", r"(?i)RETURN")),
]


def nobody(path):
    return False


def text_of(chance):
    lines = [" ".join(chance.choices(WORDS, k=chance.randrange(9))) for _ in range(chance.randrange(12))]
    return "\n".join(lines).encode()


@pytest.fixture
def planted(tmp_path, library):
    """A tree of texts and others, its index of names, and one of its contents."""
    chance = random.Random(5)
    root = tmp_path / "texts"
    for number in range(400):
        folder = root / f"folder {number % 9}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_bytes(text_of(chance) if number % 7 else b"fox\0binary")
    (root / "long.txt").write_bytes(b"nothing here at all\n" * 20_000 + b"the fox at the end\n")
    (root / "wide.txt").write_bytes(b"\xff\xfe" + "fox in wide\n".encode("utf-16-le"))
    (root / "latin.txt").write_bytes(b"caf\xe9 fox \xff\n")
    (root / "empty").write_bytes(b"")
    os.link(root / "long.txt", root / "again.txt")
    answers = library.get(library.index(os.fsencode(root), FEW).id)
    contents = TreeContents(contents_library(), answers.indexed.home)
    contents.build(answers.view, nobody, AT_ONCE)
    return answers, contents


def rows_of(view):
    rows = view.live_rows()
    return rows[view.gather("mode", rows) >> 12 == FORMAT_FILE]


def found(contents, view, pattern, rows=None):
    """Paths that match, asked with the index."""
    rows = rows_of(view) if rows is None else rows
    likely = contents.candidates(view, pattern, rows)
    paths = FileList.of_rows(view, likely)
    scanner = CompiledScanner(contents_library())
    return {paths[one] for one in scanner.matching(paths, pattern, ScanLimits(), SearchCoverage(), bool).tolist()}


def really(root, pattern):
    """Paths that match, by reading every file there is."""
    paths = [os.path.join(at, name) for at, _, names in os.walk(root) for name in names]
    limits = ScanLimits(0, False)
    return {paths[one.file] for one in PythonScanner().scan(paths, pattern, limits, SearchCoverage(), bool)}


def check_all(contents, view, patterns=PATTERNS):
    for pattern in patterns:
        assert found(contents, view, pattern) == really(view.root, pattern), pattern


def test_answers_are_those_of_reading_every_file(planted):
    answers, contents = planted
    check_all(contents, answers.view)
    few = contents.candidates(answers.view, ContentPattern("nothing of it"), rows_of(answers.view))
    assert len(few) == 0
    likely = contents.candidates(answers.view, ContentPattern("the fox at the end"), rows_of(answers.view))
    assert {os.path.basename(one) for one in answers.view.paths(likely)} == {b"long.txt", b"again.txt"}
    assert contents.manifest.size > 0
    assert contents.left_out(answers.view, rows_of(answers.view)) == 58
    check_all(TreeContents(contents_library(), answers.indexed.home), answers.view, PATTERNS[:3])


def test_letters_beyond_ascii_are_told_apart(planted):
    answers, contents = planted
    rows = rows_of(answers.view)
    with_words = contents.candidates(answers.view, ContentPattern("漢字検索", False, True), rows)
    assert len(contents.candidates(answers.view, ContentPattern("漢検字索", False, True), rows)) == 0
    assert set(answers.view.paths(with_words)) == really(answers.view.root, ContentPattern("漢字検索", False, True))
    assert len(contents.candidates(answers.view, ContentPattern("лайф", False, True), rows)) == 0


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["edit", "append", "cut", "delete", "replace", "new", "touch back"]), st.integers(0, 399)
    ),
    min_size=1,
    max_size=8,
)


def change(root, kind, number, chance):
    path = root + b"/folder %d/%d.txt" % (number % 9, number)
    if kind == "new":
        with open(root + b"/folder %d/new %d" % (number % 9, number), "wb") as out:
            out.write(text_of(chance))
    elif not os.path.exists(path):
        return
    elif kind == "delete":
        os.unlink(path)
    elif kind == "replace":
        with open(path + b"~", "wb") as out:
            out.write(b"the quick brown fox again")
        os.rename(path + b"~", path)
    else:
        before = os.stat(path)
        with open(path, {"append": "ab", "cut": "r+b"}.get(kind, "wb")) as out:
            out.truncate(before.st_size // 2) if kind == "cut" else out.write(b"\nfox and kelvin and self\n")
        if kind == "touch back":
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES, refreshed=st.booleans(), updated=st.booleans(), pattern=st.sampled_from(PATTERNS))
def test_what_was_changed_is_found_at_once(planted, library, changes, refreshed, updated, pattern):
    answers, contents = planted
    root = answers.view.root
    for kind, number in changes:
        change(root, kind, number, random.Random(number))
    new = any(kind == "new" for kind, _ in changes)
    if refreshed or new:  # a name that nobody knows of cannot be asked about
        library.refresh(answers.indexed.record.id)
    if updated:
        contents.update(answers.view, nobody, AT_ONCE, always=True)
    assert found(contents, answers.view, pattern) == really(root, pattern)


def test_what_changed_becomes_a_segment_and_an_outdated_one_is_made_anew(planted, library, monkeypatch):
    answers, contents = planted
    monkeypatch.setattr(tree_contents, "UPDATE_FILES", 5)
    root = answers.view.root
    assert not contents.update(answers.view, nobody, AT_ONCE)
    for number in range(30):
        change(root, "edit", number, None)
    library.index(root, FEW)
    assert contents.changed(answers.view).files == 30
    assert contents.update(answers.view, nobody, AT_ONCE)
    assert [one.docs for one in contents.manifest.segments][1:] == [30]
    check_all(contents, answers.view, PATTERNS[:4])
    for number in range(200):
        change(root, "edit", number, None)
    library.index(root, FEW)
    assert contents.update(answers.view, nobody, AT_ONCE)
    names = [one.name for one in contents.manifest.segments]
    assert len(names) == 1
    assert sorted(os.listdir(answers.indexed.home + "/contents")) == sorted(
        ["manifest.json", *names, contents.manifest.others[0]]
    )
    check_all(contents, answers.view, PATTERNS[:4])


def test_a_file_changed_just_before_it_was_indexed_may_always_match(planted):
    answers, contents = planted
    contents.build(answers.view, nobody, replace(AT_ONCE, racy_ns=10**18))
    rows = rows_of(answers.view)
    likely = contents.candidates(answers.view, ContentPattern("nothing of it"), rows)
    assert likely.tolist() == rows[answers.view.gather("size", rows) > 0].tolist()
    check_all(contents, answers.view, PATTERNS[:2])


def test_private_places_are_never_indexed_and_still_read(planted):
    answers, contents = planted
    contents.build(answers.view, lambda path: path.endswith(b"/folder 3") or path.endswith(b"/latin.txt"), AT_ONCE)
    shut = answers.view.find(answers.view.root + b"/latin.txt")
    docs = np.concatenate([one.docs["id"] for one in contents._known().segments])
    assert answers.view.id_of(shut) not in docs
    likely = contents.candidates(answers.view, ContentPattern("nothing of it"), rows_of(answers.view))
    folders = {os.path.dirname(one) for one in answers.view.paths(likely)}
    assert folders == {answers.view.root, answers.view.root + b"/folder 3"}
    check_all(contents, answers.view, PATTERNS[:3])


def test_nothing_is_indexed_before_it_is_known_what_is_private(library, indexed):
    kept = indexed.indexed.contents_kept
    with pytest.raises(NoContents, match="private"):
        kept.build(AT_ONCE)
    library.private_in = lambda root: nobody
    assert indexed.indexed.contents is None
    assert kept.estimate().files == 10
    kept.build(AT_ONCE)
    assert indexed.indexed.contents is kept.index is not None
    kept.remove()
    assert indexed.indexed.contents is None


def test_the_index_is_kept_up_behind_when_much_changed(library, planted, monkeypatch):
    answers, _ = planted
    library.private_in = lambda root: nobody
    answers.indexed.contents_kept.build(AT_ONCE)
    for module in (tree_contents, sys.modules["cmdr.index.contents.segments.contents_of_tree"]):
        monkeypatch.setattr(module, "UPDATE_FILES", 20)
    for number in range(40):
        change(answers.view.root, "replace", number, None)
    library.refresh(answers.indexed.record.id)
    library._background.submit(bool).result()  # what was to be done before it is done
    assert len(answers.indexed.contents.manifest.segments) == 2


def damage(path, at, to):
    with open(path, "r+b") as file:
        file.seek(at)
        was = file.read(1)[0]
        file.seek(at)
        file.write(bytes([was ^ to]))


def test_damage_anywhere_is_found_before_it_answers_and_told(planted):
    answers, _ = planted
    folder = answers.indexed.home + "/contents"
    chance = random.Random(3)
    (segment,) = (name for name in os.listdir(folder) if name.startswith("segment"))
    for name in (segment, "manifest.json", next(n for n in os.listdir(folder) if n.startswith("others"))):
        size = os.path.getsize(f"{folder}/{name}")
        whole, manifest = (Path(folder, one).read_bytes() for one in (name, "manifest.json"))
        for at in [*range(0, min(size, 44), 4), *(chance.randrange(size) for _ in range(15)), size - 1]:
            damage(f"{folder}/{name}", at, 1 << chance.randrange(8))
            opened = TreeContents(contents_library(), answers.indexed.home)
            if opened.is_there:
                assert found(opened, answers.view, PATTERNS[0]) == really(answers.view.root, PATTERNS[0])
            assert len(opened.troubles) == 1, (name, at)
            for old in [one for one in os.listdir(folder) if one.startswith("aside")]:
                os.unlink(f"{folder}/{old}")
            for file, data in ((name, whole), ("manifest.json", manifest)):
                with open(f"{folder}/{file}", "wb") as out:
                    out.write(data)
            if name == "manifest.json":  # nothing names the segments any more, so that they went with it
                opened.build(answers.view, nobody, AT_ONCE)
                break


def test_another_version_is_set_aside_and_told(planted):
    answers, contents = planted
    store = contents._store
    body = json.dumps({"format": 99, "segments": []}).encode()
    with open(f"{store.folder}/manifest.json", "wb") as out:
        out.write(b"%08x\n" % zlib.crc32(body) + body)
    opened = TreeContents(contents_library(), answers.indexed.home)
    assert not opened.is_there
    assert "another version" in opened.troubles[0]


def test_a_segment_of_nonsense_never_breaks_out_of_its_memory(planted):
    _, contents = planted
    (segment,) = contents._known().segments
    library, chance = contents_library(), random.Random(11)
    whole = segment._data.copy()
    out = np.empty(256, np.uint64)
    for _ in range(400):
        data = whole.copy()
        for _ in range(chance.choice([1, 3, 100, 5000])):
            data[chance.randrange(chance.choice([64, len(data)]))] ^= np.uint8(1 << chance.randrange(8))
        size = chance.choice([len(data), len(data), len(data) - 1, chance.randrange(len(data))])
        program = np.array([chance.randrange((1 << 20) + 4) for _ in range(30)] + [(1 << 20) + 1] * 29, np.uint32)
        answer = library.cmdr_segment_candidates(data.ctypes.data, size, program.ctypes.data, 59, out.ctypes.data)
        assert -1 <= answer <= 1 << 14
        library.cmdr_segment_checksum(data.ctypes.data, size)


def test_a_build_can_be_stopped_and_leaves_what_was_there(planted):
    answers, contents = planted
    before = contents.manifest
    with pytest.raises(Cancelled):
        contents.build(answers.view, nobody, AT_ONCE, cancelled=lambda: True)
    assert contents.manifest is before
    assert not [one for one in os.listdir(answers.indexed.home + "/contents") if one.startswith("scratch")]
    check_all(contents, answers.view, PATTERNS[:1])


def test_two_builds_at_once_are_refused(planted):
    answers, contents = planted

    def again(_):
        with pytest.raises(ScanRunning):
            contents.build(answers.view, nobody, AT_ONCE)

    contents.build(answers.view, nobody, AT_ONCE, again)


def test_a_worker_that_is_killed_fails_the_build_and_changes_nothing(planted, monkeypatch):
    answers, contents = planted
    before = contents.manifest
    started = subprocess.Popen

    def doomed(*arguments, **how):
        process = started(*arguments, **how)
        os.kill(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(subprocess, "Popen", doomed)
    with pytest.raises(WalkFailed, match="ended early"):
        contents.build(answers.view, nobody, AT_ONCE)
    assert contents.manifest is before


KILLED = """
import os, sys
from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.segments.build import BuildOptions
from cmdr.index.contents.segments.content_store import ContentStore
from cmdr.index.contents.segments.tree_contents import TreeContents
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.index.snapshots.view import stored_view
home, when = sys.argv[1:]
(epoch,) = (name for name in os.listdir(home) if name.startswith("epoch-"))
view = stored_view(StoredColumns(os.path.join(home, epoch)))
def die(*_):
    os.kill(os.getpid(), 9)
renames = iter(range(int(when)))
rename, replace = os.rename, os.replace
def counted(real):
    def one(*arguments):
        if next(renames, None) is None:
            die()
        return real(*arguments)
    return one
os.rename, os.replace = counted(rename), counted(replace)
contents = TreeContents(contents_library(), home)
contents.build(view, lambda path: False, BuildOptions(1, 0, 0), die if when == "0" else None)
"""


@pytest.mark.parametrize("when", ["0", "1", "2", "3"])
def test_a_program_killed_at_any_step_of_a_build_leaves_the_old_index_or_the_new(planted, when):
    answers, _ = planted
    home = answers.indexed.home
    done = subprocess.run([sys.executable, "-c", KILLED, home, when], capture_output=True, check=False)
    assert done.returncode == (0 if when == "3" else -signal.SIGKILL), done.stderr
    opened = TreeContents(contents_library(), home)
    assert opened.troubles == ()
    check_all(opened, answers.view, PATTERNS[:2])
    names = {one.name for one in opened.manifest.segments} | {"manifest.json", opened.manifest.others[0]}
    assert set(os.listdir(home + "/contents")) == names


def test_what_it_will_take_is_told_before_and_room_is_asked_for(planted):
    answers, contents = planted
    expected = estimate(answers.view, files_to_index(answers.view, nobody))
    assert expected.text_bytes == pytest.approx(contents.manifest.text_bytes, rel=0.02)
    assert expected.seconds > 0
    check_room(answers.indexed.home, expected)
    with pytest.raises(DiskFull, match="make room"):
        check_room(answers.indexed.home, replace(expected, text_bytes=1 << 60))


def test_an_empty_tree_has_an_index_of_nothing(tmp_path):
    (tmp_path / "nothing").mkdir()
    with Library.open(str(tmp_path / "state")) as library:
        answers = library.get(library.index(os.fsencode(tmp_path / "nothing"), FEW).id)
        contents = TreeContents(contents_library(), answers.indexed.home)
        contents.build(answers.view, nobody, AT_ONCE)
        assert contents.is_there
        assert len(contents.candidates(answers.view, ContentPattern("fox"), rows_of(answers.view))) == 0
