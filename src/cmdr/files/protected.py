"""Places that programs run or trust: writing there needs a person's eye, whoever asks."""

import os
import re
import time
from dataclasses import dataclass, field
from typing import Protocol

from cmdr.model.names import is_within, to_wire

STARTUP = frozenset(
    b".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .zshrc .zshenv .zprofile "
    b".zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xinitrc .xprofile .xsession .xsessionrc "
    b".pam_environment .tmux.conf .screenrc .envrc .gdbinit .lldbinit .lessfilter .mailcap .wezterm.lua".split()
)
EDITORS = frozenset(
    b".vimrc .gvimrc .exrc .nvimrc .nvim.lua .ideavimrc .emacs .emacs.el .dir-locals.el .kakrc .nanorc "
    b".devcontainer.json".split()
)
LANGUAGES = frozenset(
    b".pythonrc .pythonrc.py sitecustomize.py usercustomize.py .pdbrc .irbrc .pryrc .rprofile .renviron .psqlrc "
    b".sqliterc .npmrc .pypirc .yarnrc .yarnrc.yml .pnpmfile.cjs .bazelrc .hgrc .pre-commit-config.yaml lefthook.yml "
    b".mise.toml mise.toml".split()
)
AGENTS = frozenset(
    b".mcp.json .claude.json .cursorrules .windsurfrules .clinerules .roorules .goosehints .aider.conf.yml "
    b".aider.model.settings.yml opencode.json opencode.jsonc crush.json .crush.json claude.md claude.local.md "
    b"agents.md agents.override.md gemini.md qwen.md copilot-instructions.md".split()
)
KEYS = frozenset(b"authorized_keys authorized_keys2 sudoers known_hosts .netrc .git-credentials .gitconfig".split())

_IN_CONFIG = (
    *b"autostart environment.d systemd plasma-workspace fish zsh bash nushell powershell tmux zellij direnv".split(),
    *b"mise git gh gcloud pip containers hypr sway i3 awesome bspwm sxhkd kitty alacritty wezterm ghostty".split(),
    *b"nvim vim emacs doom helix kak micro zed sublime-text JetBrains Code VSCodium Cursor Windsurf Trae".split(),
    *b"opencode crush goose github-copilot claude amp".split(),
    b"Code - OSS",
    b"Code - Insiders",
)
_IN_LOCAL = (
    b"bin lib share/applications share/systemd share/nvim share/jupyter share/direnv share/bash-completion "
    b"share/fish".split()
)
_ANYWHERE = (
    *b"ssh gnupg aws git githooks husky direnv oh-my-zsh zsh tmux bashrc.d profile.d i3 nix-profile".split(),
    *b"vscode vscode-server vscode-insiders vscode-oss idea fleet zed helix vim emacs.d doom.d devcontainer".split(),
    *b"claude codex gemini qwen cursor cursor-server windsurf codeium opencode crush copilot continue cline".split(),
    *b"clinerules roo kiro trae goose amazonq aider jupyter ipython".split(),
    *b"cargo/bin cargo/env cargo/config cargo/config.toml gradle/init.d gradle/init.gradle m2/settings.xml".split(),
)
HOME_PLACES = (
    *(b".config/" + name for name in _IN_CONFIG),
    *(b".local/" + name for name in _IN_LOCAL),
    *(b"." + name for name in _ANYWHERE),
)
"""Folders and files below a home, and below any other folder."""


def _any_of(names: tuple[bytes, ...] | list[bytes]) -> bytes:
    return b"(?:" + b"|".join(map(re.escape, names)) + b")"


_HIDDEN = re.compile(
    rb"/\.(?:config/%s|local/%s|%s)(?:/|$)" % (_any_of(_IN_CONFIG), _any_of(_IN_LOCAL), _any_of(_ANYWHERE)),
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    rb"/(?:Library/(?:LaunchAgents|LaunchDaemons|Application Support/(?:Code|Cursor|Windsurf|Zed|VSCodium|JetBrains))"
    rb"|etc/(?:cron[^/]*|systemd|init\.d|profile\.d|xdg/autostart)|var/spool/cron)(?:/|$)",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rb"/(?:\.config|\.local|\.local/share|\.cargo|\.gradle|\.m2|Library|Library/Application Support|etc|etc/xdg|var"
    rb"|var/spool)$",
    re.IGNORECASE,
)


def is_obeyed(path: bytes) -> bool:
    """Whether a path lies in a folder whose contents other programs run or trust."""
    # There are very many paths, and nearly all have no hidden folder in them.
    return (b"/." in path and _HIDDEN.search(path) is not None) or _ELSEWHERE.search(path) is not None


def may_hold_obeyed(path: bytes) -> bool:
    """Whether a whole folder that gets this path could bring such a place along with it."""
    return _ABOVE.search(path) is not None


_MAX_AGE_S = 1.0
"""For so long it is believed where links lead."""
_NAMES = tuple(sorted({*STARTUP, *EDITORS, *LANGUAGES, *AGENTS, *KEYS}))


@dataclass(slots=True)
class LinkedPlaces:
    """Looks at the disk, and remembers it for a moment: a plan may ask about a million files."""

    homes: tuple[bytes, ...] = ()
    _known: dict[bytes, bytes] = field(default_factory=dict)
    _until: float = float("-inf")

    def now(self) -> dict[bytes, bytes]:
        """The real path of each place that is reached through a link, and the name by which programs know it."""
        if self.homes and time.monotonic() >= self._until:
            self._known = {real: place for home in self.homes for real, place in _led_to(home)}
            self._until = time.monotonic() + _MAX_AGE_S
        return self._known


def _led_to(home: bytes) -> list[tuple[bytes, bytes]]:
    base = os.path.realpath(home)
    try:
        is_ours = os.stat(base).st_uid == os.geteuid()
    except OSError:
        is_ours = False
    if not is_ours:
        return []  # a machine may have a thousand homes, and the programs of others do not run for us
    found = []
    for name in (*_NAMES, *HOME_PLACES):
        place = os.path.join(base, name)
        try:
            real = os.path.realpath(place, strict=True)
        except (OSError, RuntimeError):
            continue  # it is not there, or leads nowhere
        # A link to a folder above would protect everything.
        if not is_within(place, real):
            found.append((real, place))
    return found


_BY_NAME = {
    **dict.fromkeys(STARTUP, "runs when a shell starts"),
    **dict.fromkeys(EDITORS, "is obeyed by editors"),
    **dict.fromkeys(LANGUAGES, "is obeyed by programs that are started nearby"),
    **dict.fromkeys(AGENTS, "tells agents what to do"),
    **dict.fromkeys(KEYS, "decides who may log in"),
}


class Privacy(Protocol):
    """Knows what no agent may get at; asked about what an agent wants to put somewhere else."""

    def real(self, folder: int) -> bytes:
        """Where an open folder really lies, whatever path led to it."""

    def reason_of(self, path: bytes, found: os.stat_result) -> str:
        """Why a file or folder is private, by its real path and all that stands above it, or nothing."""

    def reason_here(self, path: bytes, found: os.stat_result) -> str:
        """The same about what lies in a folder that was asked about."""

    def below(self, folder: bytes) -> list[bytes]:
        """The private places known to stand inside a folder."""


@dataclass(frozen=True, slots=True)
class Protection:
    """The protected places, ours among them. A path says only so much: ask with each name that a file has."""

    own: tuple[bytes, ...] = ()
    """Where this program keeps its own settings and state."""
    run_from: tuple[bytes, ...] = ()
    """Folders in which programs are looked for by name, as in PATH."""
    linked: LinkedPlaces = field(default_factory=LinkedPlaces)
    """What the protected places in people's homes really are, where those are links."""

    def reason(self, path: bytes) -> str:
        """Why a path is protected, or nothing."""
        if why := _BY_NAME.get(path.rpartition(b"/")[2].lower()):
            return why
        if is_obeyed(path):
            return "holds keys or is run by other programs"
        for own in self.own:
            if is_within(path, own):
                return "belongs to cmdr itself"
        for folder in self.run_from:
            if is_within(path, folder):
                return "is where programs are started from by name"
        for real, link in self.linked.now().items():
            if is_within(path, real):
                return f"is where {to_wire(link)} leads"
        return ""

    def reason_below(self, path: bytes) -> str:
        """Why no whole folder may take this path, whatever it holds: for what could lie below it then."""
        known = (*self.own, *self.run_from, *self.linked.now())
        if may_hold_obeyed(path) or any(is_within(place, path) for place in known):
            return "may bring along what other programs run"
        return ""
