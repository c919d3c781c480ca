"""A real cmdr, killed in the middle of a call that came through the bridge."""

import pytest
from tests.cli.test_bridge import MAY_BE_DONE, READY, Bridge, call, initialize, modern, text
from tests.conftest import Served, cmdr_program

ERAS = ["2025-11-25", "2026-07-28"]


def called(era, name, number, **arguments):
    """A call of a tool in one of the eras."""
    if era == "2025-11-25":
        return call(name, number, **arguments)
    return modern("tools/call", number, name=name, arguments=arguments)


@pytest.mark.parametrize("era", ERAS)
def test_what_was_under_way_when_cmdr_was_killed_is_told_so_and_the_next_call_finds_the_next_cmdr(start_server, era):
    served = start_server(CMDR_MCP_TOOLSETS="panes,ops,review")
    path = served.tree.left / "readme.md"
    before = path.read_text()
    bridge = Bridge(served.environment, program=[cmdr_program("cmdr-mcp-stdio")])
    if era == "2025-11-25":
        assert "result" in bridge.ask(initialize())
        bridge.say(READY)
    bridge.say(called(era, "open_diff", 1, path=str(path), contents="another\n"))
    while "reviews:" not in text(bridge.ask(called(era, "state", 2))):
        pass
    served.process.kill()
    served.process.wait()
    answer = bridge.hear()
    assert (answer["id"], answer["result"]["isError"], text(answer)) == (1, True, MAY_BE_DONE)
    again = Served(served.home, served.tree.left, served.tree.right, CMDR_MCP_TOOLSETS="panes,ops,review")
    try:
        state = text(bridge.ask(called(era, "state", 3)))
        assert str(served.tree.left) in state
        assert state.count("- r_") == 1  # it waits for the person as before, and nothing was proposed a second time
        assert path.read_text() == before
    finally:
        bridge.end()
        again.close()
