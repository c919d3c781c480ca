"""The history in words and as data."""

import json

import yaml

from cmdr import commands
from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Verb

RENAMED = HistoryEntry(
    7, Verb.RENAME, OperationState.DONE, "person:terminal", 0.0, 1.0, 3, 3, b"/a/old", b"new name", None, None, None
)


def test_a_rename_is_told_with_its_new_name():
    commands.register()  # a command that is imported before the others would be listed before them
    from cmdr.commands.changes.history import line_of

    assert 'rename /a/old → "new name" and 2 more by person:terminal' in line_of(RENAMED)


async def test_renames_say_what_became_of_the_name(desk):
    async with desk(engine=True) as at:
        (at.root / "left/alpha").write_text("x")
        answer = await at.agent("rename", path=at.path("left/alpha"), newName="beta")
        proposal = answer.split("proposal: ")[1].split()[0]
        digest = yaml.safe_load(await at.person("proposal.show", proposal=proposal))["digest"]
        await at.person("approve", proposal=proposal, digest=digest)
        await at.agent("await", proposal=proposal)
        (line,) = yaml.safe_load(await at.agent("history.list"))["history"]
        assert f"rename {at.path('left/alpha')} → beta by" in line
        (entry,) = json.loads(await at.agent("history.entries"))
        assert (entry["first"], entry["newName"]) == (at.path("left/alpha"), "beta")
