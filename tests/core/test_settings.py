"""The person's settings and bookmarks: kept, forgiving, never written over when they cannot be read."""

import asyncio
import threading
import tomllib

import pytest

from cmdr.core import places
from cmdr.core.agents.activity import Activity
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError, NotAllowed
from cmdr.core.panes.bookmarks import Bookmarks
from cmdr.core.panes.name_input import complete_path
from cmdr.core.settings import Settings


async def test_a_choice_is_kept_with_the_persons_comments_and_unknown_keys(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('# mine\n[appearance]\ntheme = "dark"  # at night\nfuture = 1\n[other]\nx = [1]\n')
    settings = Settings(str(tmp_path))
    assert settings.text("appearance.theme") == "dark"
    await settings.choose("appearance.theme", "light")
    await settings.bind("copy", ["ctrl+e"])
    text = path.read_text()
    assert "# mine" in text and "# at night" in text
    kept = tomllib.loads(text)
    assert kept["appearance"] == {"theme": "light", "future": 1}
    assert kept["other"] == {"x": [1]}
    assert Settings(str(tmp_path)).shortcuts == {"copy": ["ctrl+e"]}
    await settings.bind("copy", None)
    assert Settings(str(tmp_path)).shortcuts == {}


async def test_wrong_values_are_told_and_the_default_holds(tmp_path):
    (tmp_path / "settings.toml").write_text('[appearance]\ntheme = "pink"\n[general]\nshow_hidden = 3\n')
    settings = Settings(str(tmp_path))
    assert settings.text("appearance.theme") == "auto"
    assert len(settings.problems) == 2
    with pytest.raises(CommandError, match="one of"):
        await settings.choose("appearance.theme", "pink")
    with pytest.raises(CommandError, match="No setting"):
        await settings.choose("appearance.hats", "many")


async def test_a_file_that_is_no_toml_is_never_written(tmp_path):
    (tmp_path / "settings.toml").write_bytes(b"\xff not toml")
    settings = Settings(str(tmp_path))
    with pytest.raises(CommandError, match="cannot be read"):
        await settings.choose("appearance.theme", "dark")
    assert (tmp_path / "settings.toml").read_bytes() == b"\xff not toml"


async def test_choices_are_written_one_after_the_other_off_the_loop_and_are_there_at_the_end(tmp_path, monkeypatch):
    write, on, order = places.write, set(), []

    def slowly(path, data):
        on.add(threading.get_ident())
        order.append(data)
        write(path, data)

    monkeypatch.setattr(places, "write", slowly)
    settings = Settings(str(tmp_path))
    chosen = [asyncio.ensure_future(settings.choose("appearance.theme", theme)) for theme in ("light", "dark")]
    await asyncio.sleep(0)
    chosen[0].cancel()  # given up waiting: what was begun goes on
    await settings.close()
    assert threading.get_ident() not in on and len(order) == 2
    assert await chosen[1] == settings.text("appearance.theme") == Settings(str(tmp_path)).text("appearance.theme")


async def test_a_choice_that_cannot_be_kept_is_told_and_does_not_hold(tmp_path):
    (tmp_path / "settings.toml").write_text("appearance = 3\n")
    settings = Settings(str(tmp_path))
    with pytest.raises(CommandError, match="is no table"):
        await settings.choose("appearance.theme", "dark")
    assert settings.text("appearance.theme") == "auto"
    await settings.choose("general.view", "brief")
    with pytest.raises(CommandError, match="Not kept"):
        await Settings(str(tmp_path / "gone")).choose("general.view", "brief")


async def test_where_agents_go_is_not_where_the_person_goes_often(core, agent, tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "mine").mkdir()
    async with core() as commander:
        for who, name in ((agent, "theirs"), (PERSON, "mine")):
            await commander.run(who, "nav_to_path", {"pane": "left", "path": str(tmp_path / name)})
        frequent = commander.bookmarks.frequent()
    assert bytes(tmp_path / "mine") in frequent and bytes(tmp_path / "theirs") not in frequent


def test_a_bookmark_of_a_folder_never_visited_is_forgotten_with_its_mark():
    bookmarks = Bookmarks()
    bookmarks.mark(b"/a")
    bookmarks.unmark(b"/a")
    assert bookmarks.frequent() == []


def test_bookmarks_and_visits_outlive_the_program(tmp_path):
    first = Bookmarks(str(tmp_path))
    first.mark(b"/a\xff")
    for _ in range(3):
        first.visit(b"/often")
    first.visit(b"/once")
    first.save()
    again = Bookmarks(str(tmp_path))
    assert again.marked() == [b"/a\xff"]
    assert again.frequent()[:2] == [b"/often", b"/once"]
    assert again.frequent("oft") == [b"/often"]
    with pytest.raises(CommandError):
        again.unmark(b"/once")


def test_a_damaged_list_of_folders_costs_only_itself_and_is_set_aside(tmp_path):
    (tmp_path / "folders.json").write_text('{"folders": [["/mine", true, 1, 1')
    damaged = Bookmarks(str(tmp_path))
    assert damaged.frequent() == []
    damaged.mark(b"/new")
    assert Bookmarks(str(tmp_path)).marked() == [b"/new"]
    assert "/mine" in (tmp_path / "folders.json.damaged").read_text()


def test_one_bad_row_costs_no_other_bookmark(tmp_path):
    (tmp_path / "folders.json").write_text(
        '{"folders": [["/a", true, 1, 1], ["/b", true, "many", 1], 7, ["/c", true, 1, 1]]}'
    )
    assert Bookmarks(str(tmp_path)).marked() == [b"/a", b"/c"]


def test_a_list_of_folders_that_cannot_be_read_now_is_not_written_over(tmp_path):
    (tmp_path / "folders.json").mkdir()
    Bookmarks(str(tmp_path)).mark(b"/new")
    assert (tmp_path / "folders.json").is_dir()


def test_words_of_a_path_match_in_order():
    bookmarks = Bookmarks()
    bookmarks.visit(b"/home/ann/src/cmdr")
    assert bookmarks.frequent("ann cm") == [b"/home/ann/src/cmdr"]
    assert bookmarks.frequent("cm ann") == []


async def test_only_the_person_changes_settings(core, agent):
    async with core() as commander:
        with pytest.raises(NotAllowed):
            await commander.run(agent, "settings.set", {"key": "appearance.theme", "value": "dark"})
        assert await commander.run(PERSON, "settings.set", {"key": "appearance.theme", "value": "dark"})
        assert commander.settings.text("appearance.theme") == "dark"


async def test_agents_calls_are_seen_and_the_persons_are_not(core, agent):
    async with core() as commander:
        told = []
        commander.activity.listen(lambda seen: told.append(seen.result))
        await commander.run(PERSON, "state", {})
        await commander.run(agent, "state", {})
        assert told == ["", "ok"]
        assert [(seen.caller, seen.command) for seen in commander.activity.recent] == [("tester", "state")]


def test_a_refused_call_is_seen_as_such(agent):
    activity = Activity()
    seen = activity.begin(agent, "copy", {"path": "x" * 500})
    activity.end(seen, "refused", 3)
    assert (seen.result, seen.ms, len(seen.about), activity.running) == ("refused", 3, 120, 0)


async def test_a_path_is_completed_as_far_as_it_is_certain(tmp_path):
    for name in ("alpha", "alps", "beta"):
        (tmp_path / name).mkdir()
    assert await complete_path("al", bytes(tmp_path)) == ("alp", ["alpha/", "alps/"])
    assert await complete_path("be", bytes(tmp_path)) == ("beta/", ["beta/"])
    assert await complete_path("zz", bytes(tmp_path)) == ("zz", [])
    assert (await complete_path(f"{tmp_path}/b", b"/"))[0] == f"{tmp_path}/beta/"
