"""What only the disk tells about a plan; whatever cannot be found out for certain is a reason to ask."""

import os
from dataclasses import replace

import pytest

from cmdr.core.rules import rule_facts
from cmdr.core.rules.rule_facts import Bounds, look_at, nearest, real_folder, roots_within, stands
from cmdr.engine.plan.new_plan import plan_mkfile
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.files.protected import Protection
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.plans.plan import ConflictPolicy, Decision, Kind, Place, Plan, PlanItem, Root, StepName, Verb
from cmdr.model.root_spec import RootSpec


@pytest.fixture
def ground(tmp_path):
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
    (tmp_path / "in" / "a.txt").write_text("x" * 10)
    return tmp_path


@pytest.fixture
def bounds(ground):
    return Bounds(((RootSpec(bytes(ground)),),), PrivatePlaces(), Protection())


def moved(ground, name="a.txt", **more):
    return plan_move([bytes(ground / "in" / name)], bytes(ground / "out"), Choices(**more))


def changed(plan, **more):
    return replace(plan, items=tuple(replace(item, **more) for item in plan.items))


def test_an_ordinary_plan_has_nothing_against_it(ground, bounds):
    found = look_at(moved(ground), bounds)
    assert (found.never, found.files, found.size) == ("", 1, 10)
    assert found.folders == {bytes(ground / "in"), bytes(ground / "out")}


def test_what_is_removed_asked_protected_or_no_file_is_asked_about(ground, bounds):
    plan = moved(ground)
    assert "removed for good" in look_at(plan_delete([bytes(ground / "in/a.txt")]), bounds).never
    assert "a name is taken" in look_at(changed(plan, decision=Decision.ASK), bounds).never
    assert look_at(changed(plan, protected="is run"), bounds).never == "a.txt is run"
    assert "neither a file nor a folder" in look_at(changed(plan, kind=Kind.SPECIAL), bounds).never


def test_what_cannot_be_looked_at_is_asked_about(ground, bounds):
    plan = moved(ground)
    (ground / "in/a.txt").unlink()
    assert "could not be looked at" in look_at(plan, bounds).never


def test_a_folder_that_was_swapped_since_the_plan_is_asked_about(ground, bounds):
    plan = moved(ground)
    (ground / "in").rename(ground / "aside")
    (ground / "in").mkdir()
    assert "is another folder by now" in look_at(plan, bounds).never


def test_ways_that_are_not_known_or_hide_where_they_lead_are_asked_about(ground, bounds):
    plan = moved(ground)
    away = replace(plan.items[0], target=Place(b"/elsewhere", b"a.txt"))
    assert "is not known" in look_at(replace(plan, items=(away,)), bounds).never
    up = replace(plan.items[0], target=Place(bytes(ground / "out"), b"../a.txt"))
    assert "hides where it lies" in look_at(replace(plan, items=(up,)), bounds).never


def test_what_leaves_its_volume_needs_room_to_come_back(ground, bounds, monkeypatch):
    plan = moved(ground)
    across = changed(plan, step=StepName.COPY, remove_source=True)
    assert look_at(across, bounds).never == ""
    monkeypatch.setattr(rule_facts, "free_bytes", lambda handle: 5)
    assert "too little room" in look_at(across, bounds).never


def test_secrets_are_asked_about_by_name_by_place_and_by_their_other_names(ground, bounds):
    for name in ("id_rsa", ".netrc"):
        (ground / "in" / name).write_text("x")
    assert "keys, passwords" in look_at(plan_copy([bytes(ground / "in/id_rsa")], bytes(ground / "out")), bounds).never
    own = replace(bounds, private=PrivatePlaces(own=(bytes(ground / "in"),)))
    assert "belongs to cmdr itself" in look_at(moved(ground), own).never
    known = PrivatePlaces(homes=(bytes(ground),))
    os.link(ground / "in/a.txt", ground / ".pgpass")
    assert look_at(moved(ground), replace(bounds, private=known)).never


def test_a_place_whose_folder_is_private_under_another_name_is_asked_about(ground, bounds):
    (ground / ".ssh").mkdir()
    (ground / ".ssh").rename(ground / "keys")
    (ground / ".ssh").symlink_to(ground / "keys")
    (ground / "keys/plain.txt").write_text("x")
    known = replace(bounds, private=PrivatePlaces(homes=(bytes(ground),)))
    plan = plan_copy([bytes(ground / "in/a.txt")], bytes(ground / "keys"))
    assert "private place under another name" in look_at(plan, known).never


def test_what_would_land_as_a_program_is_asked_about(ground, bounds):
    plan = plan_mkfile(bytes(ground / "out/x"), b"#!/bin/sh\n")
    assert "is a script" in look_at(plan, bounds).never
    plain = plan_mkfile(bytes(ground / "out/x"), b"x")
    assert "could be run" in look_at(changed(plain, mode=0o755), bounds).never
    assert look_at(plain, bounds).never == ""


def test_what_is_replaced_is_looked_at_too(ground, bounds):
    there = ground / "out/a.txt"
    there.write_text("old")
    plan = moved(ground, policy=ConflictPolicy.OVERWRITE)
    assert look_at(plan, bounds).never == ""
    there.chmod(0o755)
    assert "is a program" in look_at(moved(ground, policy=ConflictPolicy.OVERWRITE), bounds).never
    there.chmod(0o644)
    os.link(there, ground / ".pgpass")
    known = replace(bounds, private=PrivatePlaces(homes=(bytes(ground),)))
    assert look_at(moved(ground, policy=ConflictPolicy.OVERWRITE), known).never


def test_a_whole_folder_may_not_take_a_name_that_brings_obeyed_places(ground, bounds):
    (ground / "in/box").mkdir()
    plan = plan_rename([(bytes(ground / "in/box"), b".config")])
    assert "may bring along what other programs run" in look_at(plan, bounds).never


def test_secrets_deep_in_a_whole_folder_are_asked_about(ground, bounds):
    (ground / "in/box/deep").mkdir(parents=True)
    (ground / "in/box/deep/id_rsa").write_text("x")
    assert "keys, passwords" in look_at(moved(ground, "box"), bounds).never


def test_a_folder_is_its_own_only_by_identity_and_without_links(ground):
    path = bytes(ground / "in")
    (ground / "way").symlink_to(ground / "in")
    assert real_folder(path) == path and real_folder(bytes(ground / "way")) == path
    assert real_folder(bytes(ground / "none")) is None and real_folder(b"/a\0b") is None
    assert not stands(path, None)
    assert nearest(bytes(ground / "in/new/deeper")) == path and nearest(b"/no/such") == b"/"


def test_a_path_that_the_system_cannot_tell_is_no_folder(ground, monkeypatch):
    def fails(handle):
        raise OSError("gone")

    monkeypatch.setattr(rule_facts, "real_path", fails)
    assert real_folder(bytes(ground)) is None


def test_what_all_lists_let_change_is_the_inner_folder_of_each_pair():
    one, two = RootSpec(b"/h"), RootSpec(b"/h/in")
    assert roots_within([(one,), (two,)]) == [b"/h/in"]
    assert roots_within([(two,), (one,)]) == [b"/h/in"]
    assert roots_within([(one,), (RootSpec(b"/k"),)]) == []
    assert roots_within([(RootSpec(b"/h", read_only=True),)]) == []


def test_a_link_to_something_private_is_asked_about(ground, bounds):
    item = PlanItem(StepName.LINK, Kind.LINK, None, Place(bytes(ground / "out"), b"l"), data=b"../in/id_rsa")
    found = os.stat(ground / "out")
    plan = Plan(Verb.LINK, (item,), (Root(bytes(ground / "out"), found.st_dev, found.st_ino),))
    assert "keys, passwords" in look_at(plan, bounds).never


def test_a_secret_that_gets_an_innocent_name_is_asked_about(ground, bounds):
    (ground / "in/id_rsa").write_text("x")
    plan = plan_copy([bytes(ground / "in/id_rsa")], bytes(ground / "out"), Choices(as_name=b"plain.txt"))
    assert "keys, passwords" in look_at(plan, bounds).never


def test_a_folder_that_goes_to_the_trash_is_looked_through(ground, bounds):
    (ground / "in/box").mkdir()
    (ground / "in/box/b.txt").write_text("y" * 5)
    found = look_at(plan_trash([bytes(ground / "in/box")]), bounds)
    assert (found.never, found.files, found.size) == ("", 2, 5)
