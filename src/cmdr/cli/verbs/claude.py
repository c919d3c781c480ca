"""`cmdr claude`: start Claude Code here, with the running cmdr as its editor and as one of its servers."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence

from cmdr.cli.launcher import Launcher
from cmdr.core.editing.ide_lock import lock_of
from cmdr.core.places import UnsafePlace
from cmdr.core.runtime import instance
from cmdr.model.names import is_within

ALLOWED = """
    state select_volume nav_to_path nav_to_parent nav_back nav_forward open_under_cursor refresh scroll_to move_cursor
    select sort toggle_hidden set_view_mode activate_tab pin_tab dialog switch_pane swap_panes copy move delete rename
    mkdir undo await cd session_preferences index job_progress inspect query_run query_list resource_set report
    open_diff replace open_file get_diagnostics fs_list fs_read fs_exists fs_stat fs_diff context_get_selection
    context_get_current_paths context_get_focused_pane
""".split()
"""The tools of cmdr that look or propose: Claude Code need not ask about them, for cmdr asks about what they propose.

Those that act by themselves where the person has switched that on, and `command`, which reaches them, are not here.
"""
_MISSING = (
    "Claude Code is not installed: there is no `claude` on the PATH. Try: npm install -g @anthropic-ai/claude-code"
)


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "claude",
        help="start Claude Code with cmdr as its editor",
        description=__doc__,
        add_help=False,
        prefix_chars="\0",
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="passed on to claude")
    parser.set_defaults(verb=_run)


def _run(chosen: argparse.Namespace, launcher: Launcher) -> int:
    program = shutil.which("claude")
    if program is None:
        print(_MISSING, file=sys.stderr)
        return 127
    try:
        record = instance.running()
    except (UnsafePlace, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    lock = lock_of(record.pid) if record is not None else None
    if lock is None:
        why = (
            "cmdr is not running here" if record is None else "The running cmdr has no editor socket (CMDR_IDE_ENABLED)"
        )
        print(f"{why}. Open it in another terminal first: cmdr {os.getcwd()}", file=sys.stderr)
        return 1
    here = os.path.realpath(os.getcwd())
    if not any(is_within(os.fsencode(here), os.fsencode(folder)) for folder in lock.folders):
        print(f"Note: cmdr does not show {here}; edits open in cmdr once one of its panes does.", file=sys.stderr)
    os.execve(program, ["claude", *arguments_of(chosen.arguments)], environment_of(lock.port))  # noqa: S606


def environment_of(port: int) -> dict[str, str]:
    """The environment in which Claude Code finds this very editor, whatever else is open."""
    return {**os.environ, "CLAUDE_CODE_SSE_PORT": str(port), "CLAUDE_CODE_AUTO_CONNECT_IDE": "true"}


def arguments_of(given: Sequence[str]) -> list[str]:
    """What is passed on, with manual permissions, without which no edit is ever shown, and cmdr's own tools, of which
    those that look or propose are allowed: what they propose is asked about once, in cmdr."""
    bridge = {"command": sys.executable, "args": ["-P", "-m", "cmdr.cli.bridge"]}
    config = json.dumps({"mcpServers": {"cmdr": bridge}})
    chosen = [] if any(word.startswith("--permission-mode") for word in given) else ["--permission-mode", "manual"]
    # In one word: the option takes every word that follows it, and what is given may begin with a question.
    allowed = f"--allowedTools={','.join(f'mcp__cmdr__{tool}' for tool in ALLOWED)}"
    return [*chosen, "--mcp-config", config, allowed, *(["--", *given[1:]] if given[:1] == ["--"] else given)]
