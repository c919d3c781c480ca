"""The person's own keys reach the page as they stand in the settings, and as soon as they change."""

import pytest


@pytest.fixture
def keys_as_usual(order):
    """Takes back what a test binds."""
    bound = []

    def bind(action, keys):
        bound.append(action)
        order("settings.bind", action=action, keys=keys)

    yield bind
    for action in bound:
        order("settings.bind", action=action)


def test_without_choices_there_is_nothing_to_tell(picture):
    assert picture()["shortcuts"] == []


def test_a_choice_is_in_the_next_picture_with_the_title_of_a_command(picture, keys_as_usual):
    keys_as_usual("copy", ["F5", "Ctrl+E"])
    keys_as_usual("file.copyPath", ["Ctrl+L"])
    keys_as_usual("nonsense", ["x"])
    assert picture()["shortcuts"] == [
        {"id": "copy", "keys": ["F5", "Ctrl+E"], "title": "Copy"},
        {"id": "file.copyPath", "keys": ["Ctrl+L"], "title": "Copy path"},
        {"id": "nonsense", "keys": ["x"], "title": ""},
    ]


def test_what_is_for_programs_is_no_command_for_a_key(picture, keys_as_usual):
    keys_as_usual("job.status", ["x"])
    assert picture()["shortcuts"][0]["title"] == ""
