"""Places that programs run or trust: writing there needs a person's eye, whoever asks."""

import os
import re
from dataclasses import dataclass

_STARTUP = frozenset(
    b".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .kshrc .cshrc .tcshrc "
    b".inputrc .xinitrc .xprofile .xsession .pam_environment .vimrc .exrc .gdbinit .pythonrc .npmrc .pypirc".split()
)
_AGENTS = frozenset(b".mcp.json .claude.json .cursorrules .windsurfrules CLAUDE.md AGENTS.md GEMINI.md".split())
_KEYS = frozenset(b"authorized_keys authorized_keys2 sudoers known_hosts .netrc .git-credentials .gitconfig".split())
_FOLDERS = re.compile(
    rb"/(?:\.ssh|\.gnupg|\.aws|\.config/autostart|\.config/systemd|\.config/fish|\.config/gh|\.config/gcloud"
    rb"|\.git/hooks|\.git/config|\.vscode|\.idea|\.cursor|\.claude|\.codex|\.gemini|\.direnv|\.envrc"
    rb"|Library/LaunchAgents|etc/cron[^/]*|etc/systemd|etc/init\.d|etc/profile\.d|var/spool/cron)(?:/|$)"
)


@dataclass(frozen=True, slots=True)
class Protection:
    """The protected places, ours among them."""

    own: tuple[bytes, ...] = ()
    """Where this program keeps its own settings and state."""

    def reason(self, path: bytes) -> str:
        """Why a path is protected, or nothing."""
        name = os.path.basename(path)
        if name in _STARTUP:
            return "runs when a shell starts"
        if name in _AGENTS:
            return "tells agents what to do"
        if name in _KEYS:
            return "decides who may log in"
        if _FOLDERS.search(path):
            return "holds keys or is run by other programs"
        if any(path == own or path.startswith(own.rstrip(b"/") + b"/") for own in self.own):
            return "belongs to cmdr itself"
        return ""
