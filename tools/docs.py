"""Writes the parts of docs/ that come from the code; a test makes sure they are current."""

import sys
from pathlib import Path

from cmdr import commands
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import DEFAULT_TOOLSETS, REGISTRY, Command

DOCS = Path(__file__).parent.parent / "docs"
_WHO = {
    Access.READ: "looks",
    Access.VIEW: "changes what is shown",
    Access.PROPOSE: "proposes",
    Access.ACT: "acts",
}


_JOBS = (Path(__file__).parent / "jobs.md").read_text()


def tools_page() -> str:
    """docs/tools.md: every command, by toolset, and every address of the REST interface."""
    from cmdr.web.api.routes import ROUTES

    commands.register()
    toolsets = {command.toolset for command in REGISTRY if command.toolset}
    lines = [
        "# Tools and commands",
        "",
        "Written by `make docs` from the registry; do not edit.",
        "",
        "Agents see the tools of the toolsets that are switched on (`CMDR_MCP_TOOLSETS`, `/mcp?toolsets=a,b`). Every",
        "answer is text that begins with `OK:` or `ERROR:`. `?` marks an optional parameter; `pane` is left, right,",
        "focused or other. What *proposes* only stages a change: a person approves it within a day, or not.",
    ]
    for toolset in sorted(toolsets, key=lambda name: (name not in DEFAULT_TOOLSETS, name)):
        note = "on by default" if toolset in DEFAULT_TOOLSETS else "off by default"
        lines += [
            "",
            f"## Toolset `{toolset}` ({note})",
            "",
            "| tool | parameters | | what it does |",
            "|---|---|---|---|",
        ]
        lines += [_row(command, command.name) for command in REGISTRY if command.is_tool and command.toolset == toolset]
    lines += ["", *_JOBS.rstrip().split("\n")]
    lines += ["", "## Palette commands", ""]
    lines += ["Run by `command {id}`, from the palette or by a key. What *acts* is for the person only.", ""]
    lines += ["| id | parameters | | what it does |", "|---|---|---|---|"]
    lines += [_row(command, command.id) for command in REGISTRY if command.toolset is None and command.is_in_palette]
    lines += ["", "## REST", ""]
    lines += [
        "JSON for programs, a readable page for a logged-in browser (on Linux); `/api/openapi.json` describes it.",
        "",
    ]
    lines += ["| route | parameters | | what it does |", "|---|---|---|---|"]
    lines += [_row(REGISTRY.find(route.command), route.address) for route in ROUTES]
    return "\n".join(lines) + "\n"


def _row(command: Command, name: str) -> str:
    parameters = ", ".join(p.wire + ("" if p.required else "?") for p in command.parameters)
    also = f" (also `{'`, `'.join(command.ids)}`)" if command.ids and name == command.name else ""
    description = command.description.replace("|", "\\|")
    return f"| `{name}`{also} | {parameters} | {_WHO[command.access]} | {description} |"


def keys_page() -> str:
    """docs/keys.md: every action with its keys in both faces, by section, and why a face lacks one."""
    from cmdr.model.actions import ACTIONS, SECTIONS, Action, AppliesTo, Face, Risk
    from cmdr.tui.input.key_map import key_map
    from cmdr.web.page.actions import page_keys

    maps = {Face.TERMINAL: key_map({}), Face.PAGE: page_keys({}, {})}
    names = {Face.TERMINAL: "terminal", Face.PAGE: "browser"}
    acts_on = {AppliesTo.NOTHING: "", AppliesTo.FILE: "file", AppliesTo.ENTRY: "entry under the cursor"}
    risks = {Risk.NONE: "", Risk.CHANGES: "changes files", Risk.DESTROYS: "cannot be undone"}

    def keys(action: Action, face: Face) -> str:
        return "–" if face in action.not_in else maps[face].all_keys(action.id).replace("|", "\\|")

    lines = [
        "# Keys",
        "",
        "Written by `make docs` from the table of actions (`model/actions.py`), which the terminal and the page in the",
        "browser both read; do not edit.",
        "",
        "Every key can be changed in the settings (Alt+S, Shortcuts) or in `settings.toml`, by action or by a",
        'command\'s id: `[shortcuts]`, `copy = ["F5", "Ctrl+E"]`, `"file.copyPath" = "Ctrl+N"`. That holds in both',
        "faces, and clashes are told. Letters search for a name, `/` filters, Esc gives up waiting, clears the filter,",
        "then the selection. In the terminal Alt and a digit, or Esc and a digit right behind it, stand for F1 to F10.",
        "Browsers keep some keys for themselves (Ctrl+T, Ctrl+W); where the page has other ones, they are named.",
    ]
    for section in SECTIONS:
        lines += [
            "",
            f"## {section}",
            "",
            "| keys | in the browser | what it does | acts on | | action |",
            "|---|---|---|---|---|---|",
        ]
        for action in ACTIONS:
            if action.section == section:
                here, there = (keys(action, face) for face in Face)
                on = acts_on.get(action.applies_to, action.applies_to.value)
                cells = (here, "" if there == here else there, action.title, on, risks[action.risk], f"`{action.id}`")
                lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## What is not everywhere", "", "| action | not in the | because |", "|---|---|---|"]
    for action in ACTIONS:
        lines += [f"| {action.title} | {names[face]} | {why} |" for face, why in action.not_in.items()]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """docs/settings.md: everything there is to choose, as the file keeps it."""
    from cmdr.core.settings import NAME, SETTINGS

    lines = [
        "# Settings",
        "",
        "Written by `make docs` from the list of settings; do not edit.",
        "",
        f"Choose with Alt+S in the terminal or the browser. The file is `~/.config/cmdr/{NAME}`, on macOS",
        f"`~/Library/Application Support/cmdr/{NAME}`: read at start, and only the key that changed is written,",
        "so that comments stay. What it says wrongly is told and left as it is. `[shortcuts]` in it is told of in",
        "[keys.md](keys.md); what concerns the agent server is set by [variables](agents.md#variables).",
    ]
    sections = dict.fromkeys(key.partition(".")[0] for key in SETTINGS)
    for section in sections:
        lines += ["", f"## `[{section}]`", "", "| key | what it is | choices | usually |", "|---|---|---|---|"]
        for setting in SETTINGS.values():
            name = setting.key.removeprefix(f"{section}.")
            if name != setting.key:
                kind = {bool: "true, false", int: "a whole number", str: "text"}[type(setting.default)]
                usual = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
                choices = ", ".join(setting.choices) or kind
                lines.append(f"| `{name}` | {setting.title} | {choices} | {usual or 'empty'} |")
    return "\n".join(lines) + "\n"


def security_page() -> str:
    """docs/security.md with the table of limits in it."""
    from cmdr.core.admission.limits import table

    before, _, rest = (DOCS / "security.md").read_text(encoding="utf-8").partition("<!-- limits -->\n")
    after = rest.partition("<!-- /limits -->")[2]
    lines = ["| | limit | beyond it |", "|---|---|---|"]
    lines += [f"| {row.what} | {row.limit} | {row.beyond} |" for row in table()]
    return f"{before}<!-- limits -->\n" + "\n".join(lines) + f"\n<!-- /limits -->{after}"


PAGES = {"tools.md": tools_page, "keys.md": keys_page, "settings.md": settings_page, "security.md": security_page}


def main() -> int:
    """Write every page."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
