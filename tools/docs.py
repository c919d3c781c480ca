"""Writes the parts of docs/ that come from the registry; a test makes sure they are current."""

import re
import sys
from pathlib import Path

from cmdr import commands
from cmdr.core.principals import Access
from cmdr.core.registry import DEFAULT_TOOLSETS, REGISTRY, Command

DOCS = Path(__file__).parent.parent / "docs"
_WHO = {
    Access.READ: "looks",
    Access.VIEW: "changes what is shown",
    Access.PROPOSE: "proposes",
    Access.ACT: "acts",
}


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
        "focused or other. What *proposes* only stages a change: a person approves it within ten minutes, or not.",
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
    """docs/keys.md: every key of the terminal face, by section."""
    from cmdr.tui.key_map import ACTIONS, SECTIONS, key_map

    keys = key_map({})
    lines = [
        "# Keys",
        "",
        "Written by `make docs` from the key map; do not edit.",
        "",
        "Every key can be changed in the settings (Alt+S, Shortcuts) or in `settings.toml`, by action or by a",
        'command\'s id: `[shortcuts]`, `copy = ["F5", "Ctrl+E"]`, `"file.copyPath" = "Ctrl+N"`. Clashes are told.',
        "Letters search for a name, `/` filters, Esc gives up waiting, clears the filter, then the selection.",
        "Alt and a digit, or Esc and a digit right behind it, stand for F1 to F10.",
    ]
    for section in SECTIONS:
        lines += ["", f"## {section}", "", "| keys | what it does | action |", "|---|---|---|"]
        for action in ACTIONS:
            if action.section == section:
                told = keys.all_keys(action.id).replace("|", "\\|")
                lines.append(f"| {told} | {action.title} | `{action.id}` |")
    lines += _browser_keys()
    return "\n".join(lines) + "\n"


def _browser_keys() -> list[str]:
    """The keys of the page in the browser, read from its own list."""
    source = (DOCS.parent / "src/cmdr/web/static/page/keys.js").read_text(encoding="utf-8")
    lines = [
        "",
        "## In the browser",
        "",
        "F1 shows them there. Your own keys hold there too. Ctrl+T, Ctrl+W and Ctrl+N belong to the browser, so tabs",
        "have other keys.",
        "",
        "| keys | what it does | action |",
        "|---|---|---|",
    ]
    for action, title, keys in re.findall(r"^(\w+) +\| (.+?) +\| ([^|\n]+)", source, re.MULTILINE):
        told = keys.replace("Arrow", "").split()
        lines.append(f"| {', '.join(told)} | {title} | `{action}` |")
    return lines


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
        "[keys.md](keys.md); what concerns the agent server is set by variables, which the [README](../README.md)",
        "lists.",
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


PAGES = {"tools.md": tools_page, "keys.md": keys_page, "settings.md": settings_page}


def main() -> int:
    """Write every page."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
