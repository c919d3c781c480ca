"""Commands are declared once and found by every spelling that clients use."""

import pytest

from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import Registry, command
from cmdr.core.errors import UnknownCommand
from cmdr.model.results.result import Said


@pytest.fixture
def registry():
    found = Registry()

    @command("nav_to_path", access=Access.VIEW, toolset="panes", ids=("nav.go",), registry=found)
    async def nav_to_path(call, *, path: str) -> Said:
        """Show a folder
        in a pane."""
        return Said(path)

    @command("file.copyPath", access=Access.READ, title="Copy path", registry=found)
    def copy_path(workspace) -> Said:
        """Copy."""
        return Said("")

    return found


@pytest.mark.parametrize(
    "spelling", ["nav_to_path", "nav.to.path", "nav-to-path", "navToPath", "nav.go", "NAV_TO_PATH", "NavToPath"]
)
def test_a_command_answers_to_every_spelling_of_its_name(registry, spelling):
    assert registry.find(spelling).name == "nav_to_path"


@pytest.mark.parametrize(
    "name",
    ["", "nav_to", "copy", "nav_to_path ", "\ud800", "x" * 10_000, "nav\nto\npath"],
    ids=["empty", "part", "other", "space", "surrogate", "long", "lines"],
)
def test_an_unknown_name_is_refused_in_one_short_line(registry, name):
    with pytest.raises(UnknownCommand) as refused:
        registry.find(name)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 100


def test_what_is_declared_is_what_is_told(registry):
    found = registry.find("nav_to_path")
    assert found.description == "Show a folder in a pane."
    assert (found.title, found.id, found.wants_call) == ("Nav to path", "nav.go", True)
    assert not registry.find("file.copyPath").wants_call
    assert registry.find("file.copyPath").id == "file.copyPath"
    assert [entry.name for entry in registry] == ["nav_to_path", "file.copyPath"]


@pytest.mark.parametrize("taken", ["nav_to_path", "nav.go", "file.copyPath"])
@pytest.mark.parametrize("as_id", [False, True])
def test_no_name_can_be_declared_twice(registry, taken, as_id):
    def again(call) -> Said:
        """Again."""
        return Said("")

    name, ids = ("other", (taken,)) if as_id else (taken, ())
    with pytest.raises(ValueError, match="is taken"):
        command(name, access=Access.READ, ids=ids, registry=registry)(again)
    assert "other" not in registry.commands
