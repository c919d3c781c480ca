"""The person is called when something waits and they look elsewhere: once for many, and less and less often."""

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.tui.inbox.waiting import waiting_rows
from cmdr.tui.terminal.notifications import AWAY_S, BELL, FIRST_PAUSE_S, Notifications

AGENT = Principal("agent", "claude")


class Heard:
    """What the terminal was sent, in the way a terminal with OSC 777 is told."""

    def __init__(self, it, **environment):
        self.sent = []
        self.calls = calls = Notifications(
            it.terminal, lambda: waiting_rows(it.commander), {"TERM": "foot", **environment}
        )
        calls.write = self.sent.append
        it.terminal.notifications.close()
        it.terminal.notifications = calls

    @property
    def rings(self):
        return self.sent.count(BELL)

    @property
    def told(self):
        return [text for text in self.sent if text != BELL]


async def propose(it, name="new", by=AGENT):
    await it.commander.run(by, "mkdir", {"path": str(it.left), "name": name})


async def test_somebody_at_the_keyboard_is_not_called_and_somebody_away_is(face):
    async with face() as it:
        heard = Heard(it)
        await it.press("down")
        await propose(it)
        heard.calls.look()
        assert not heard.sent
        it.clock.forward(AWAY_S)
        it.terminal.presence.look()
        await it.until(lambda: heard.told)
        assert heard.rings == 1
        assert heard.told[0].startswith("\x1b]777;notify;cmdr, 1 waiting;claude: Create folder ")


async def test_a_terminal_that_lost_the_focus_calls_at_once(face):
    async with face() as it:
        heard = Heard(it)
        it.terminal.app_focus = False
        await propose(it)
        await it.until(lambda: heard.told)
        assert heard.rings == 1


async def test_a_flood_rings_once_and_then_less_and_less_often(face):
    async with face() as it:
        heard = Heard(it)
        it.clock.forward(AWAY_S)
        rings = []
        for second in range(60):
            for number in range(5):
                await propose(it, f"s{second}n{number}")
            heard.calls.look()
            for proposal in it.commander.proposals.pending():
                await it.commander.run(it.terminal.person, "reject", {"proposal": proposal.id})
            heard.calls.look()
            rings.append(heard.rings)
            it.clock.forward(1.0)
        assert rings[0] == 1
        assert rings[-1] <= 4


async def test_what_came_in_the_pause_is_called_for_after_it(face):
    async with face() as it:
        heard = Heard(it)
        it.clock.forward(AWAY_S)
        await propose(it, "one")
        heard.calls.look()
        await propose(it, "two")
        heard.calls.look()
        assert heard.rings == 1
        it.clock.forward(FIRST_PAUSE_S)
        heard.calls.look()
        assert heard.rings == 2


async def test_what_was_answered_meanwhile_is_not_called_for(face):
    async with face() as it:
        heard = Heard(it)
        await it.press("down")
        await propose(it)
        heard.calls.look()
        (proposal,) = it.commander.proposals.pending()
        await it.commander.run(it.terminal.person, "reject", {"proposal": proposal.id})
        it.clock.forward(AWAY_S)
        it.terminal.presence.look()
        assert not heard.sent


@pytest.mark.parametrize(("notify", "bell", "rings"), [("never", True, 0), ("always", True, 1), ("always", False, 0)])
async def test_settings_decide_when_and_whether_it_rings(face, notify, bell, rings):
    async with face() as it:
        await it.commander.settings.choose("agents.notify", notify)
        await it.commander.settings.choose("agents.bell", bell)
        heard = Heard(it)
        await it.press("down")
        await propose(it)
        heard.calls.look()
        assert heard.rings == rings
        if notify == "always":
            await it.until(lambda: heard.told)


async def test_nothing_is_written_while_another_program_has_the_terminal(face):
    async with face() as it:
        heard = Heard(it)
        it.clock.forward(AWAY_S)
        it.commander.desktop.terminal_suspended = True
        await propose(it)
        heard.calls.look()
        assert not heard.sent
        it.commander.desktop.terminal_suspended = False
        heard.calls.look()
        assert heard.rings == 1


async def test_no_name_of_a_file_or_an_agent_acts_on_the_terminal(face):
    async with face() as it:
        heard = Heard(it)
        it.clock.forward(AWAY_S)
        evil = "x\x1b]52;c;aGk=\x07;\x9c\u202e"
        await it.commander.run(Principal("agent", evil), "mkdir", {"path": str(it.left), "name": "n\\x1b]0;y\\x07"})
        await it.until(lambda: heard.told)
        (sent,) = heard.told
        assert sent.startswith("\x1b]777;notify;") and sent.endswith("\x1b\\")
        assert sent[2:-2].isprintable()


async def test_inside_tmux_nothing_is_sent_where_it_is_not_handed_on(face):
    async with face() as it:
        heard = Heard(it, TMUX="/nowhere,1,0", PATH="/nowhere")
        it.clock.forward(AWAY_S)
        await propose(it)
        await it.until(lambda: heard.rings == 1)
        await it.terminal.workers.wait_for_complete()
        assert not heard.told
