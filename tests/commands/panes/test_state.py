"""The state: small, true, readable by any YAML reader, and not to be forged by any name."""

import asyncio
import os
import re
import threading

import pytest
import yaml

from cmdr.core.panes import facts
from cmdr.model.panes.tab import FoundEntries


async def test_it_tells_both_panes_as_the_seed_draws_them(desk):
    async with desk() as at:
        state = await at.state()
        left = state["left"]
        assert list(state)[:3] == ["focused", "showHidden", "rev"]
        assert (left["path"], left["view"], left["sort"], left["totalFiles"]) == (at.path(), "brief", "name:asc", 6)
        assert left["loadedRange"] == [0, 6]
        assert left["files"][0] == "i:0 d docs [cur]"
        assert left["files"][2] == "i:2 f a9.txt"
        assert state["right"]["files"] == ["i:0 f other.txt [cur]"]


async def test_brief_mode_tells_more_about_the_cursors_file_only(desk):
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="README.md")
        cursor = (await at.state())["left"]["cursor"]
        assert (cursor["index"], cursor["name"], cursor["size"]) == (5, "README.md", 2403)
        assert str(cursor["lastModified"]) == "2023-11-14"


async def test_full_mode_tells_every_row(desk):
    async with desk() as at:
        await at.agent("set_view_mode", pane="left", mode="full")
        await at.agent("select", pane="left", names=["README.md", "src"])
        left = (await at.state())["left"]
        assert left["files"][1] == "i:1 d src [sel]"
        assert re.fullmatch(r"i:5 f README\.md 2403b( cr:\d{4}-\d\d-\d\d)? lm:2023-11-14 \[sel\]", left["files"][5])
        assert left["cursor"] == {"index": 0}
        assert left["selected"] == 2


async def test_detail_is_chosen_without_disturbing_the_view(desk):
    async with desk() as at:
        names = (await at.state(pane="left", detail="names"))["left"]
        assert (names["files"][5], names["cursor"]) == ("i:5 f README.md", {"index": 0})
        short = (await at.state(pane="left", detail="short"))["left"]["files"][5]
        assert "2403b" in short
        full = (await at.state(pane="left", detail="full"))["left"]["files"]
        assert re.search(r"lm:2023-11-1\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d mode:0\d{3}$", full[5])
        assert "lm:" in full[0]
        assert at.tab().view == "brief"


async def test_one_pane_and_few_rows_can_be_asked_for(desk):
    async with desk() as at:
        state = await at.state(pane="left", limit=2)
        assert "right" not in state
        assert (state["left"]["loadedRange"], len(state["left"]["files"])) == ([0, 2], 2)
        assert (await at.state(limit=0))["left"]["files"] == []
        assert await at.agent("state", limit=501) == 'ERROR: "limit" must be a whole number from 0 to 500, not 501.'


async def test_fifty_rows_are_told_unless_asked(desk):
    async with desk() as at:
        for number in range(100):
            (at.root / "right" / f"f{number}").touch()
        await at.agent("refresh", pane="right")
        right = (await at.state())["right"]
        assert (right["totalFiles"], right["loadedRange"], len(right["files"])) == (101, [0, 50], 50)


@pytest.mark.parametrize(
    "name",
    [
        b"x [sel]",
        b"[cur]",
        b"i:9 f forged",
        b"a\n    - i:9 f b [sel]",
        b"bad\xff",
        b'"q" [sel]',
        b"a: b",
        b"# c",
        b"- d",
    ],
    ids=repr,
)
async def test_no_name_can_forge_a_row_or_a_marker(desk, name):
    async with desk() as at:
        with open(os.path.join(bytes(at.root / "left"), name), "wb"):
            pass
        await at.agent("refresh", pane="left")
        for detail in ("names", "short", "full"):
            rows = (await at.state(pane="left", detail=detail))["left"]["files"]
            assert len(rows) == 7
            assert [row.split()[0] for row in rows] == [f"i:{place}" for place in range(7)]
            assert sum(row.endswith("[cur]") for row in rows) == 1
            assert sum(row.endswith("[sel]") for row in rows) == 0


async def test_a_file_from_beyond_the_calendar_does_not_break_the_state(desk, monkeypatch):
    """One file with a year above 9999 in view made every state fail."""
    real = facts.stat_entries

    def look_up(path, names):
        return [facts and type(facts)(facts.size, 10**30, -(10**30), 0, 0, 0) for facts in real(path, names)]

    monkeypatch.setattr(facts, "stat_entries", look_up)
    async with desk() as at:
        for detail in ("short", "full"):
            assert "lm:9999" in (await at.state(detail=detail))["left"]["files"][5]


async def test_an_entry_that_has_vanished_since_is_told_as_gone(desk):
    async with desk() as at:
        (at.root / "left" / "a9.txt").unlink()
        rows = (await at.state(pane="left", detail="short"))["left"]["files"]
        assert rows[2] == "i:2 f a9.txt gone"


async def test_rows_whose_facts_do_not_come_are_pending_and_the_state_comes_all_the_same(desk, monkeypatch):
    """On a dead mount the state never came; and rows nobody had looked at were told as gone."""
    monkeypatch.setattr(facts, "ROWS_TIMEOUT_S", 0.05)
    hang = threading.Event()

    def dead(path, names):
        hang.wait()
        return [None] * len(names)

    async with desk() as at:
        monkeypatch.setattr(facts, "stat_entries", dead)
        rows = (await asyncio.wait_for(at.state(detail="short"), 60))["left"]["files"]
        assert rows[5] == "i:5 f README.md pending"
        hang.set()


async def test_a_pane_that_moves_on_while_it_is_looked_at_is_told_as_it_is_then(desk, monkeypatch):
    """Its new rows were told as gone."""
    async with desk() as at:
        real, moved = facts.stat_entries, threading.Event()
        entered = threading.Event()

        def slow(path, names):
            if path.endswith(b"left"):
                entered.set()
                moved.wait()
            return real(path, names)

        monkeypatch.setattr(facts, "stat_entries", slow)
        asking = asyncio.ensure_future(at.state(pane="left", detail="short"))
        assert await asyncio.to_thread(entered.wait, 60)
        await at.person("nav_to_path", pane="left", path="docs")
        moved.set()
        left = (await asking)["left"]
        assert left["path"] == at.path("left/docs")
        assert left["files"][1].startswith("i:1 f guide.md 10b")


async def test_the_rev_rises_with_every_visible_change_and_not_with_a_look(desk):
    async with desk() as at:
        before = (await at.state())["rev"]
        assert (await at.state())["rev"] == before
        for name, how in {
            "move_cursor": {"pane": "left", "to": 1},
            "switch_pane": {},
            "toggle_hidden": {},
            "set_view_mode": {"pane": "left", "mode": "full"},
            "app.about": {},
        }.items():
            await at.agent(name, **how)
            after = (await at.state())["rev"]
            assert after > before, name
            before = after


@pytest.mark.parametrize(("length", "limit"), [(8, 500), (80, 500), (230, None)])
async def test_a_very_long_state_has_fewer_rows_and_says_which_and_keeps_the_rest(desk, length, limit):
    """Its tail was cut: the other pane, the volumes and the open confirmation."""
    async with desk(engine=True) as at:
        for side in ("left", "right"):
            for number in range(1200 if length < 80 else 400):
                (at.root / side / f"{number:04}{'x' * (length - 4)}").touch()
            await at.agent("refresh", pane=side)
        await at.agent("mkdir", pane="left", name="new")
        text = await at.agent("state", **({"limit": limit} if limit else {}))
        assert 16_000 <= len(text) <= 20_000
        told = yaml.safe_load(text)
        for side in ("left", "right"):
            assert told[side]["loadedRange"] == [0, len(told[side]["files"])]
            assert told[side]["totalFiles"] >= 400
        assert told["volumes"] and told["dialogs"][0]["type"] == "confirmation"


async def test_a_long_pane_beside_a_short_one_gives_way_alone(desk):
    async with desk() as at:
        for number in range(400):
            (at.root / "left" / f"{'long name ' * 8}{number}").touch()
        await at.agent("refresh", pane="left")
        told = await at.state(limit=500)
        assert 100 < len(told["left"]["files"]) < 400
        assert told["right"]["files"] == ["i:0 f other.txt [cur]"]


async def test_a_window_the_person_does_not_see_yet_waits(desk):
    async with desk() as at:
        at.commander.desktop.shows = lambda dialog: dialog.opened_by.startswith("person:")
        answer = await at.agent("dialog", action="open", type="about")
        assert answer == "OK: Opened about\nwaiting: it shows once the person asks for it"
        assert (await at.state())["dialogs"] == [{"type": "about", "waiting": True}]
        assert await at.person("dialog", action="open", type="settings") == "OK: Opened settings"
        assert (await at.state())["dialogs"][1] == {"type": "settings", "section": "general", "focused": True}


async def test_a_pane_that_shows_a_list_of_files_says_which(desk):
    """It looked like the plain folder."""
    async with desk() as at:
        at.tab().found = FoundEntries("set keep", (b"README.md",))
        left = (await at.state())["left"]
        assert (left["path"], left["shows"]) == (at.path(), "set keep")
        assert "shows" not in (await at.state())["right"]


async def test_files_are_told_when_files_are_asked_for(desk):
    """In a pane with more folders than rows were asked for, every row was a folder."""
    async with desk() as at:
        for number in range(5):
            (at.root / "left" / f"folder{number}").mkdir()
        await at.agent("refresh", pane="left")
        await at.agent("sort", pane="left", by="size", order="desc")
        left = (await at.state(pane="left", limit=3))["left"]
        assert [row.split()[1] for row in left["files"]] == ["d", "d", "d"]
        left = (await at.state(pane="left", limit=3, kind="file"))["left"]
        assert left["files"] == ["i:7 f README.md", "i:8 f package.json", "i:9 f a9.txt"]
        assert left["loadedRange"] == [7, 10]
        assert left["totalFiles"] == 11
        left = (await at.state(pane="left", kind="folder", detail="names"))["left"]
        assert len(left["files"]) == 7
        assert all(row.split()[1] == "d" for row in left["files"])
