"""Places that programs run or trust: writing there needs a person's eye, whoever asks."""

import os
import re
from dataclasses import dataclass
from typing import Protocol

_STARTUP = frozenset(
    b".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .kshrc .cshrc .tcshrc "
    b".inputrc .xinitrc .xprofile .xsession .pam_environment .vimrc .exrc .gdbinit .pythonrc .npmrc .pypirc "
    b".bash_aliases .zlogout .login .tmux.conf .lldbinit .emacs".split()
)
_AGENTS = frozenset(b".mcp.json .claude.json .cursorrules .windsurfrules claude.md agents.md gemini.md".split())
_KEYS = frozenset(b"authorized_keys authorized_keys2 sudoers known_hosts .netrc .git-credentials .gitconfig".split())
_FOLDERS = re.compile(
    rb"/(?:\.ssh|\.gnupg|\.aws|\.config/autostart|\.config/systemd|\.config/fish|\.config/gh|\.config/gcloud"
    rb"|\.config/git|\.config/nvim|\.config/environment\.d|\.local/bin|\.local/share/applications|\.local/share/systemd"
    rb"|\.git|\.githooks|\.husky|\.vscode|\.idea|\.cursor|\.claude|\.codex|\.gemini|\.direnv|\.envrc|\.emacs\.d"
    rb"|Library/LaunchAgents|etc/cron[^/]*|etc/systemd|etc/init\.d|etc/profile\.d|var/spool/cron)(?:/|$)",
    re.IGNORECASE,
)
# A whole folder that gets one of these names could bring any of the places above along with it.
_ABOVE = re.compile(rb"/(?:\.config|\.local|\.local/share|Library|etc|var|var/spool)$", re.IGNORECASE)


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
    """The protected places, ours among them."""

    own: tuple[bytes, ...] = ()
    """Where this program keeps its own settings and state."""
    run_from: tuple[bytes, ...] = ()
    """Folders in which programs are looked for by name, as in PATH."""

    def reason(self, path: bytes) -> str:
        """Why a path is protected, or nothing."""
        name = os.path.basename(path).lower()
        if name in _STARTUP:
            return "runs when a shell starts"
        if name in _AGENTS:
            return "tells agents what to do"
        if name in _KEYS:
            return "decides who may log in"
        if _FOLDERS.search(path):
            return "holds keys or is run by other programs"
        for own in self.own:
            if _is_in(path, own):
                return "belongs to cmdr itself"
        for folder in self.run_from:
            if _is_in(path, folder):
                return "is where programs are started from by name"
        return ""

    def reason_below(self, path: bytes) -> str:
        """Why no whole folder may take this path, whatever it holds: for what could lie below it then."""
        if _ABOVE.search(path) or any(_is_in(place, path) for place in (*self.own, *self.run_from)):
            return "may bring along what other programs run"
        return ""


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")
