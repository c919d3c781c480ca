"""What an agent did today, turn by turn, and its way back: asked about once, with a list of what goes."""

from cmdr.core.dispatch.principals import Principal
from cmdr.tui.windows.window import GRACE_S

AGENT = Principal("agent", "claude")


async def done(it, *names):
    """Folders that an agent made and the person said yes to."""
    for name in names:
        await it.commander.run(AGENT, "mkdir", {"path": str(it.left), "name": name})
        (proposal,) = it.commander.proposals.pending()
        yes = {"proposal": proposal.id, "digest": proposal.plan.digest}
        await it.commander.run(it.terminal.person, "approve", yes)
        await it.until(lambda name=name: (it.left / name).is_dir() and not it.commander.jobs.running())


async def test_the_agents_window_tells_how_much_of_today_can_be_undone(face):
    async with face(size=(120, 40)) as it:
        await done(it, "one", "two")
        await it.press("alt+a")
        await it.until(lambda: "2 operations today, all undoable" in it.drawn)


async def test_a_turn_is_undone_after_a_list_of_what_goes(face):
    async with face(size=(120, 40)) as it:
        await done(it, "one", "two")
        await it.press("alt+a", "enter")
        await it.until(lambda: "2 operations, all undoable" in it.drawn)
        await it.press("u")
        await it.until(lambda: it.window == "UndoQuestion")
        assert "2 operations of claude since" in it.drawn
        assert "/left/one" in it.drawn and "/left/two" in it.drawn
        await it.press("y")
        assert it.window == "UndoQuestion" and (it.left / "one").is_dir()
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: not (it.left / "one").exists() and not (it.left / "two").exists())


async def test_one_operation_is_undone_and_the_others_stay(face):
    async with face(size=(120, 40)) as it:
        await done(it, "one", "two")
        await it.press("alt+a", "enter")
        await it.until(lambda: "2 operations, all undoable" in it.drawn)
        await it.press("down", "u")
        await it.until(lambda: it.window == "UndoQuestion")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: not (it.left / "two").exists())
        assert (it.left / "one").is_dir()
        await it.until(lambda: "1 undoable" in it.drawn)


async def test_all_since_an_operation_is_undone_and_a_no_leaves_everything(face):
    async with face(size=(120, 40)) as it:
        await done(it, "one", "two", "three")
        await it.press("alt+a", "enter")
        await it.until(lambda: "3 operations, all undoable" in it.drawn)
        await it.press("down", "down", "U")
        await it.until(lambda: it.window == "UndoQuestion")
        assert "2 operations of claude" in it.drawn
        it.clock.forward(GRACE_S)
        await it.press("n")
        assert it.window == "AgentWork"
        assert all((it.left / name).is_dir() for name in ("one", "two", "three"))
        await it.press("U")
        await it.until(lambda: it.window == "UndoQuestion")
        it.clock.forward(GRACE_S)
        await it.press("y")
        await it.until(lambda: not (it.left / "three").exists() and not (it.left / "two").exists())
        assert (it.left / "one").is_dir()


async def test_agents_are_allowed_again_only_on_purpose(face):
    async with face() as it:
        await it.press("alt+a", "s", "s")
        assert it.commander.policy.agents_stopped
        assert "Agents stay stopped" in it.drawn
        it.clock.forward(GRACE_S)
        await it.press("s")
        assert not it.commander.policy.agents_stopped
