"""What clients that search for tools are told."""

from cmdr import commands
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.mcp.tool_search import HINTS, PRELOADED, search_meta


def test_hints_are_of_tools_that_exist_and_fit_what_clients_read():
    commands.register()
    tools = {command.name for command in REGISTRY if command.is_tool}
    assert {*HINTS, *PRELOADED} <= tools
    assert max(map(len, HINTS.values())) <= 120


def test_a_tool_is_there_from_the_start_or_can_be_found_never_both():
    assert not PRELOADED & HINTS.keys()
    assert search_meta("query_run") == {"anthropic/alwaysLoad": True}
    assert search_meta("mkdir") == {"anthropic/searchHint": HINTS["mkdir"]}
    assert search_meta("swap_panes") is None
