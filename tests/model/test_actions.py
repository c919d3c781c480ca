"""One table of actions: whole, without doubles, and what a face lacks says why."""

from cmdr import commands
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.model.actions import (
    ACTIONS,
    BY_ID,
    ENTRY_MENU,
    FOLDER_MENU,
    SECTIONS,
    TOP_BAR,
    AppliesTo,
    Face,
    Risk,
    offered,
)


def test_ids_and_titles_are_each_there_once():
    assert len(BY_ID) == len(ACTIONS)
    assert len({action.title for action in ACTIONS}) == len(ACTIONS)
    assert {action.section for action in ACTIONS} == set(SECTIONS)


def test_every_face_offers_each_action_or_says_why_not():
    for action in ACTIONS:
        for face in Face:
            why = action.not_in.get(face)
            assert action in offered(face) if why is None else len(why) > 10
        assert len(action.not_in) < len(Face), f"{action.id} is offered nowhere"


def test_a_command_that_an_action_runs_is_there_and_needs_no_arguments():
    commands.register()
    for action in ACTIONS:
        if action.command:
            command = REGISTRY.find(action.command)
            assert not [parameter for parameter in command.parameters if parameter.required], action.id


def test_menus_name_actions_of_the_page():
    page = {action.id for action in offered(Face.PAGE)}
    for id in (*TOP_BAR, *(id for group in (*ENTRY_MENU, *FOLDER_MENU) for id in group)):
        assert id in page
    assert all(BY_ID[id].word for id in TOP_BAR)


def test_what_changes_files_says_so_and_what_it_acts_on():
    at_risk = {action.id for action in ACTIONS if action.risk is not Risk.NONE}
    assert at_risk >= {"copy", "move", "rename", "trash", "delete", "mkdir", "attributes", "pack", "unpack", "undo"}
    assert BY_ID["delete"].risk is Risk.DESTROYS
    assert all(BY_ID[id].applies_to is not AppliesTo.NOTHING for id in at_risk - {"undo"})
