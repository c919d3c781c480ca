"""What an agent wants copied, moved or renamed is marked when no agent may read it; a person is not asked."""

import os

import pytest

from cmdr.engine.plan.rename_plan import _with_privacy, plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.plans.plan import Kind, Place, PlanItem, StepName
from cmdr.model.plans.plan_text import summary_of

KEYS = "holds keys, passwords or private data"


@pytest.fixture
def home(tmp_path):
    for path in (".aws/credentials", ".ssh/id_ed25519", "work/a.jpg", "work/sub/b.jpg"):
        (tmp_path / "home" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / path).write_text(path)
    (tmp_path / "root").mkdir()
    return tmp_path / "home"


@pytest.fixture
def agent(home):
    return Choices(privacy=PrivatePlaces(homes=(os.fsencode(home),)))


def marked(plan):
    return {os.path.relpath(os.fsdecode(item.place.path), "/"): item.protected for item in plan.protected}


def at(*paths):
    return [os.fsencode(path) for path in paths]


@pytest.mark.parametrize("make", [plan_copy, plan_move])
def test_copying_secrets_into_an_agents_reach_is_a_risk_and_names_them(home, agent, make):
    pictures = [home / "work" / f"{number}.jpg" for number in range(60)]
    for picture in pictures:
        picture.touch()
    chosen = at(*pictures[:40], home / ".ssh" / "id_ed25519", *pictures[40:])
    plan = make(chosen, os.fsencode(home.parent / "root"), agent)
    assert list(marked(plan).values()) == [KEYS]
    assert plan.risk.is_high
    ends = f"{home}/.ssh/id_ed25519 → {home.parent}/root/id_ed25519"
    assert f"protected: {ends} ({KEYS})" in summary_of(plan)


@pytest.mark.parametrize("make", [plan_copy, plan_move])
def test_a_persons_own_copies_are_not_asked_about(home, make):
    plan = make(at(home / ".aws" / "credentials"), os.fsencode(home.parent / "root"))
    assert not [item for item in plan.protected if item.protected == KEYS]


def test_secrets_inside_a_chosen_folder_are_found(home, agent):
    (home / "work" / "sub" / ".aws").mkdir()
    (home / "work" / "sub" / ".aws" / "credentials").touch()
    plan = plan_copy(at(home / "work"), os.fsencode(home.parent / "root"), agent)
    assert set(marked(plan).values()) == {KEYS}
    assert {os.path.basename(path) for path in marked(plan)} == {".aws", "credentials"}


def test_secrets_inside_a_folder_that_moves_as_a_whole_are_found(home, agent):
    (home / "work" / "sub" / "id_rsa").touch()
    (home / "work" / "sub" / "id_dsa").touch()
    plan = plan_move(at(home / "work"), os.fsencode(home.parent / "root"), agent)
    assert [item.step for item in plan.items] == [StepName.RENAME]
    assert list(marked(plan).values()) == [f"holds id_dsa, which {KEYS}"]
    clean = plan_move(at(home / "work"), os.fsencode(home.parent / "root"))
    assert marked(clean) == {}


def test_a_folder_without_secrets_moves_without_a_mark_after_one_that_has_some(home, agent):
    (home / "work" / "id_rsa").touch()
    (home / "plain").mkdir()
    (home / "plain" / "x").touch()
    plan = plan_move(at(home / "work", home / "plain"), os.fsencode(home.parent / "root"), agent)
    assert [bool(item.protected) for item in plan.items] == [True, False]


def test_a_link_on_the_way_hides_nothing(home, agent):
    (home.parent / "way").symlink_to(home / ".aws")
    plan = plan_copy(at(home.parent / "way" / "credentials"), os.fsencode(home.parent / "root"), agent)
    assert list(marked(plan).values()) == [KEYS]


def test_a_second_name_of_a_secret_is_found_too(home, agent):
    os.link(home / ".ssh" / "id_ed25519", home / "work" / "sub" / "picture.jpg")
    plan = plan_copy(at(home / "work"), os.fsencode(home.parent / "root"), agent)
    assert list(marked(plan).values()) == ["is a second name of a private file"]


def test_a_new_name_for_a_private_place_is_a_risk(home, agent):
    (home / ".config" / "gh").mkdir(parents=True)
    (home / "one").touch()
    (home / "two").touch()
    pairs = [(home / ".aws", b"notes"), (home / ".config", b"conf"), (home / "work", b"play"), (home / "one", b"three")]
    plan = plan_rename([(os.fsencode(path), new) for path, new in pairs], privacy=agent.privacy)
    assert [item.protected for item in plan.items] == [KEYS, "holds gh, which is private", "", ""]
    ring = [(os.fsencode(home / "one"), b".aws"), (os.fsencode(home / ".aws"), b"one")]
    (swap,) = plan_rename(ring, privacy=agent.privacy).items
    assert (swap.step, swap.protected) == (StepName.SWAP, KEYS)
    plain = plan_rename([(os.fsencode(home / ".config"), b"conf")])
    assert plain.items[0].protected == ""


def test_what_has_no_name_yet_cannot_lose_its_privacy():
    item = PlanItem(StepName.NOTHING, Kind.FILE, None, Place(b"/a", b"x"))
    assert _with_privacy(item, None, object()) is item
