"""Dialogs exactly as the seed's section 5 describes them."""

import os

import yaml

from cmdr.core.admission.limits import WINDOWS_PER_AGENT
from cmdr.core.dispatch.principals import Principal


async def open_dialogs(at):
    return (await at.state()).get("dialogs", [])


async def test_settings_open_at_a_section(desk):
    async with desk() as at:
        assert await at.agent("dialog", action="open", type="settings", section="shortcuts") == "OK: Opened settings"
        (opened,) = await open_dialogs(at)
        assert opened.pop("shortcuts")["copy"] == "f5"
        assert opened == {"type": "settings", "section": "shortcuts", "focused": True}
        await at.agent("dialog", action="open", type="settings")
        (opened,) = await open_dialogs(at)
        assert opened.pop("settings")["general.quick_search"] is True
        assert opened == {"type": "settings", "section": "general", "focused": True}
        assert await at.agent("dialog", action="close", type="settings") == "OK: Closed settings"
        assert await open_dialogs(at) == []


async def test_a_viewer_opens_for_the_cursor_or_for_a_path(desk):
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="package.json")
        answer = await at.agent("dialog", action="open", type="file-viewer")
        assert answer == f"OK: Opened file viewer for {at.path('left/package.json')}"
        answer = await at.agent("dialog", action="open", type="file-viewer", path=at.path("left/README.md"))
        assert answer == f"OK: Opened file viewer for {at.path('left/README.md')}"
        assert await open_dialogs(at) == [
            {"type": "file-viewer", "path": at.path("left/package.json")},
            {"type": "file-viewer", "path": at.path("left/README.md"), "focused": True},
        ]


async def test_opening_the_same_file_again_brings_its_viewer_to_the_front(desk):
    async with desk() as at:
        for name in ("README.md", "package.json", "README.md"):
            await at.agent("dialog", action="open", type="file-viewer", path=name)
        assert [os.path.basename(dialog["path"]) for dialog in await open_dialogs(at)] == ["package.json", "README.md"]


async def test_a_viewer_is_focused_by_path_or_the_latest_one(desk):
    async with desk() as at:
        for name in ("README.md", "package.json"):
            await at.agent("dialog", action="open", type="file-viewer", path=name)
        answer = await at.agent("dialog", action="focus", type="file-viewer", path=at.path("left/README.md"))
        assert answer == f"OK: Focused file viewer for {at.path('left/README.md')}"
        await at.agent("dialog", action="open", type="about")
        answer = await at.agent("dialog", action="focus", type="file-viewer")
        assert answer == f"OK: Focused file viewer for {at.path('left/package.json')}"
        assert (await open_dialogs(at))[-1]["path"] == at.path("left/package.json")


async def test_of_a_folder_the_facts_are_shown_instead_of_an_empty_viewer(desk):
    async with desk() as at:
        answer = await at.agent("dialog", action="open", type="file-viewer", path="docs")
        assert answer == f"OK: Opened info for {at.path('left/docs')}"
        assert [dialog["type"] for dialog in await open_dialogs(at)] == ["info"]


async def test_viewers_are_closed_one_by_one_or_all_at_once(desk):
    async with desk() as at:
        for name in ("README.md", "package.json", "a9.txt"):
            await at.agent("dialog", action="open", type="file-viewer", path=name)
        answer = await at.agent("dialog", action="close", type="file-viewer", path=at.path("left/README.md"))
        assert answer == f"OK: Closed file viewer for {at.path('left/README.md')}"
        assert await at.agent("dialog", action="close", type="file-viewer") == "OK: Closed 2 file viewer dialogs"
        assert await open_dialogs(at) == []


async def test_what_is_not_open_is_told_as_the_seed_prints_it(desk):
    async with desk() as at:
        answer = await at.agent("dialog", action="close", type="file-viewer", path="/Users/david/unknown.md")
        assert answer == "ERROR: No file-viewer open for /Users/david/unknown.md"
        assert await at.agent("dialog", action="close", type="confirmation") == "ERROR: No confirmation dialog open"
        assert await at.agent("dialog", action="focus", type="settings") == "ERROR: No settings open"


async def test_only_one_volume_picker_is_open_at_a_time(desk):
    async with desk() as at:
        for _ in range(2):
            assert await at.agent("dialog", action="open", type="volume-picker") == "OK: Opened volume picker"
        assert await open_dialogs(at) == [{"type": "volume-picker", "pane": "left", "focused": True}]


async def test_a_confirmation_is_not_opened_by_hand(desk):
    async with desk() as at:
        answer = await at.agent("dialog", action="open", type="confirmation")
        assert answer == "ERROR: A confirmation is opened by copy, mkdir and the like; it can only be closed."


async def test_copy_opens_a_confirmation_that_closing_cancels(desk):
    async with desk(engine=True) as at:
        await at.agent("select", pane="left", names=["README.md"])
        answer = await at.agent("copy")
        assert answer.splitlines()[0] == "OK: Copy dialog opened. Waiting for user confirmation."
        (told,) = await open_dialogs(at)
        assert (told["type"], told["focused"]) == ("confirmation", True)
        assert await at.agent("dialog", action="close", type="confirmation") == "OK: Cancelled confirmation dialog"
        assert await open_dialogs(at) == []
        proposal = told["proposal"]
        assert await at.agent("await", proposal=proposal) == "OK: Proposal cancelled. Nothing was changed."
        assert not (at.root / "right" / "README.md").exists()


async def test_an_agent_withdraws_a_given_proposal_and_only_its_own(desk):
    """Being told to cancel one, it could only cancel the latest."""
    async with desk(engine=True) as at:
        for number in range(5):
            await at.agent("mkdir", name=f"new{number}")
        full = await at.agent("mkdir", name="one-more")
        assert full.startswith("ERROR: 5 of your proposals already wait")
        assert 'dialog {"action": "close", "type": "confirmation", "proposal": "p_…"}' in full
        proposals = [dialog["proposal"] for dialog in await open_dialogs(at)]
        close = {"action": "close", "type": "confirmation"}
        stranger = Principal("agent", "stranger")
        assert (await at.ask(stranger, "dialog", {**close, "proposal": proposals[1]})).startswith("ERROR: No conf")
        assert await at.agent("dialog", **close, proposal=proposals[1]) == "OK: Cancelled confirmation dialog"
        assert [dialog["proposal"] for dialog in await open_dialogs(at)] == [proposals[0], *proposals[2:]]
        assert (await at.agent("mkdir", name="one-more")).startswith("OK: ")
        again = await at.agent("dialog", **close, proposal=proposals[1])
        assert again == f"ERROR: No confirmation dialog open for {proposals[1]}"
        assert (await at.agent("dialog", action="open", type="about", proposal="p_1")).startswith("ERROR: Only closing")


async def test_a_new_folders_name_is_a_name_and_no_path(desk):
    """`../x` was accepted, and shown as such."""
    async with desk(engine=True) as at:
        for name in ("../x", "a/b", "/x"):
            answer = await at.agent("mkdir", pane="left", name=name)
            assert answer == f'ERROR: "{name}" is no name: it holds "/". For another folder give "path".'
        missing = await at.agent("copy", paths=["never-there"])
        assert missing == f"ERROR: {at.path('left/never-there')} does not exist. Check the path, or refresh the pane."


async def test_a_copy_into_its_own_folder_says_which_name_it_gets(desk):
    async with desk(engine=True) as at:
        answer = await at.agent("copy", paths=["README.md"], to=at.path("left"))
        assert answer.splitlines()[-1] == "new name: README.md → README (1).md"
        proposal = (await open_dialogs(at))[0]["proposal"]
        digest = at.commander.proposals.pending()[0].plan.digest
        await at.person("approve", proposal=proposal, digest=digest)
        assert "new name: README.md → README (1).md" in await at.agent("await", proposal=proposal)
        assert (at.root / "left" / "README (1).md").exists()


async def test_a_pattern_that_means_nothing_is_told_in_its_own_words(desk):
    async with desk(engine=True) as at:
        answer = await at.agent("rename", match="[", replace="x", paths=["README.md"])
        assert answer == 'ERROR: "[" is not a regular expression: unclosed character class.'


async def test_mkdir_opens_a_confirmation_too(desk):
    async with desk(engine=True) as at:
        answer = await at.agent("mkdir", name="new")
        assert answer.splitlines()[0] == "OK: Create folder dialog opened. Waiting for user confirmation."
        assert await at.person("dialog", action="close", type="confirmation") == "OK: Cancelled confirmation dialog"
        assert not (at.root / "left" / "new").exists()


async def test_mkdir_in_a_folder_that_is_gone_is_told(desk):
    """Looking for a free name there was a fault of the program."""
    async with desk(engine=True) as at:
        await at.agent("nav_to_path", pane="left", path="src")
        os.rmdir(at.root / "left" / "src")
        answer = await at.agent("mkdir", pane="left")
        assert answer.startswith(f"ERROR: Path not found: {at.path('left/src')}. To look below the nearest folder ")


async def test_parameters_that_do_not_belong_are_refused(desk):
    async with desk() as at:
        answer = await at.agent("dialog", action="open", type="about", section="general")
        assert answer == "ERROR: about has no sections. Only settings has."
        answer = await at.agent("dialog", action="open", type="settings", path="x")
        assert answer == "ERROR: settings takes no path. Only file-viewer and info do."


async def test_a_viewer_for_nothing_is_refused(desk):
    async with desk() as at:
        answer = await at.agent("dialog", action="open", type="file-viewer", path="gone")
        assert answer == f"ERROR: Path not found: {at.path('left/gone')}"
        await at.agent("nav_to_path", pane="left", path="src")
        answer = await at.agent("dialog", action="open", type="file-viewer")
        assert answer == "ERROR: The pane is empty: there is no file under the cursor."


async def test_the_available_dialogs_are_listed(desk):
    async with desk() as at:
        told = yaml.safe_load(await at.agent("dialogs_available"))["dialogs"]
        types = [row["type"] for row in told]
        assert {"settings", "volume-picker", "file-viewer", "about", "confirmation"} <= set(types)
        settings = told[types.index("settings")]
        assert {"general", "appearance", "shortcuts", "advanced"} <= set(settings["sections"])
        assert told[types.index("volume-picker")]["description"] == "Only one can be open at a time"


async def test_one_agent_opens_only_so_many_windows(desk):
    """A hundred viewers could be stacked up."""
    async with desk() as at:
        for number in range(WINDOWS_PER_AGENT):
            (at.root / "left" / f"f{number}").touch()
        path = at.path("left/README.md")
        for number in range(WINDOWS_PER_AGENT):
            opened = await at.agent("dialog", action="open", type="file-viewer", path=at.path(f"left/f{number}"))
            assert opened.startswith("OK: Opened"), opened
        refused = "ERROR: 20 windows that you opened are open. Close some first: dialog with action close."
        assert await at.agent("dialog", action="open", type="file-viewer", path=path) == refused
        assert await at.agent("file.getInfo") == refused
        assert (await at.agent("dialog", action="open", type="file-viewer", path=at.path("left/f0"))).startswith("OK: ")
        assert (await at.person("dialog", action="open", type="file-viewer", path=path)).startswith("OK: ")
