"""The names of places that programs run or trust: start-up files, settings of editors and agents, keys."""

import re

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
