"""What selected files have in common, as the window shows it."""

import os
import threading

from cmdr.core.panes import facts
from cmdr.core.panes.facts import CommonAttributes, common_attributes
from cmdr.model.panes.listing import Columns
from cmdr.model.panes.selection import Selection
from cmdr.model.panes.tab import SelectedEntries


def selected(folder, *names):
    columns = Columns.pack(sorted(names), ["f"] * len(names), range(1, len(names) + 1))
    selection = Selection(len(names))
    selection.add(range(len(names)))
    return SelectedEntries(os.fsencode(folder), columns, selection)


def made(folder, name, mode, when=5):
    path = folder / name
    path.write_text(name)
    path.chmod(mode)
    os.utime(path, ns=(when, when))


async def test_what_all_have_and_what_any_has(tmp_path):
    made(tmp_path, "a", 0o644)
    made(tmp_path, "b", 0o4750)
    (tmp_path / "link").symlink_to("a")
    assert await common_attributes(selected(tmp_path, b"a", b"b", b"link", b"gone")) == CommonAttributes(
        0o640, 0o4754, 5
    )
    made(tmp_path, "b", 0o600, when=6)
    assert await common_attributes(selected(tmp_path, b"a", b"b")) == CommonAttributes(0o600, 0o644, None)


async def test_nothing_is_known_of_links_of_very_many_or_of_a_disk_that_does_not_answer(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to("a")
    assert await common_attributes(selected(tmp_path, b"link")) == CommonAttributes()
    made(tmp_path, "a", 0o644)
    monkeypatch.setattr(facts, "DISK_TIMEOUT_S", 0.01)
    answers = threading.Event()
    monkeypatch.setattr(facts, "stat_entries", lambda folder, names: answers.wait() and [])
    assert await common_attributes(selected(tmp_path, b"a")) == CommonAttributes()
    answers.set()
    monkeypatch.setattr(facts, "MAX_COMPARED", 0)
    assert await common_attributes(selected(tmp_path, b"a")) == CommonAttributes()
