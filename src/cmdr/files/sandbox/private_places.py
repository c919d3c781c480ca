"""Places no agent ever reads: keys, passwords, browser profiles, and what cmdr keeps for itself."""

import os
import pwd
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from cmdr.files.sandbox.hard_links import HardLinks
from cmdr.files.sandbox.open_beneath import real_path
from cmdr.model.names import is_within

# Below any home, and wherever else such a name stands: other users' homes and copies of one are no better.
_FOLDERS = (
    ".ssh .gnupg .aws .azure .kube .password-store .mozilla .thunderbird .pki .1password .huggingface .kaggle .fly "
    ".config/gh .config/gcloud .config/op .config/rclone .config/google-chrome .config/chromium .config/doctl "
    ".config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/keepassxc .config/Bitwarden .config/sops/age "
    ".local/share/keyrings .local/share/kwalletd .cache/mozilla .cache/google-chrome .cache/chromium "
    "snap/firefox snap/chromium .var/app/org.mozilla.firefox .var/app/com.google.Chrome "
    "Library/Keychains Library/Cookies Library/Safari Library/Mail Library/Messages"
).split() + [
    f"Library/Application Support/{browser}" for browser in ("Google/Chrome", "Firefox", "Chromium", "BraveSoftware")
]
# What lets somebody act as an agent of the person's, and what was said to it.
_FOLDERS += (
    ".claude/ide .claude/projects .claude/todos .claude/file-history .claude/shell-snapshots .codex/sessions "
    ".config/github-copilot .copilot/logs .local/share/opencode .local/share/goose .local/share/atuin "
    ".local/share/crush .config/cursor .config/anthropic .config/openai .config/amp/secrets"
).split() + [
    f".config/{editor}/User/globalStorage" for editor in ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
]
_FILES = (
    ".netrc .git-credentials .pgpass .cargo/credentials .cargo/credentials.toml .boto .s3cfg .dockercfg "
    ".config/git/credentials .vault-token .terraform.d/credentials.tfrc.json .config/hub .config/containers/auth.json "
    ".cache/huggingface/token .cache/huggingface/stored_tokens "
    ".claude/.credentials.json .claude/history.jsonl .codex/auth.json .codex/history.jsonl "
    ".gemini/oauth_creds.json .gemini/google_accounts.json .gemini/mcp-oauth-tokens.json .qwen/oauth_creds.json "
    ".bash_history .zsh_history .zhistory .histfile .sh_history .ash_history .ksh_history .python_history "
    ".node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .irb_history .lesshst .viminfo "
    ".local/share/fish/fish_history .config/fish/fish_history .local/state/bash/history .local/state/python_history"
).split()
# Projects have files of these names too, and there they hold no secrets.
_ONLY_IN_A_HOME = (
    ".npmrc .pypirc .my.cnf .docker/config.json .claude.json .codex/config.toml .cursor/mcp.json "
    ".codeium/windsurf/mcp_config.json .gemini .qwen .aider.conf.yml"
).split()
_NAMES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "authorized_keys")
_PATTERN = re.compile(
    rb"/(?:%s)(?:/|$)|/(?:%s)$|\.kdbx$|^/(?:proc|sys|dev)(?:/|$)|^/etc/(?:g?shadow-?|sudoers|sudoers\.d|ssl/private)(?:/|$)"
    rb"|^/run/(?:secrets|credentials|user/[0-9]+/keyring)(?:/|$)"
    % (
        b"|".join(re.escape(os.fsencode(name)) for name in _FOLDERS),
        b"|".join(map(re.escape, map(os.fsencode, [*_FILES, *_NAMES]))),
    ),
    re.IGNORECASE,
)

_FIRST: dict[bytes, list[list[bytes]]] = {}
"""The first name of each private place, in small letters, and the ways on from there."""
for _name in (*_FOLDERS, *_FILES):
    _first, *_rest = os.fsencode(_name).split(b"/")
    _FIRST.setdefault(_first.lower(), []).append(_rest)
_OTHER_NAME = "is a private place under another name"
_MAX_AGE_S = 1.0
"""Seconds for which the identities of the known places are believed."""


@dataclass(slots=True)
class PrivatePlaces:
    """What is private on this machine; asked with real paths, never with what a caller wrote."""

    own: tuple[bytes, ...] = ()
    """Where this program keeps tokens, logs and databases."""
    homes: tuple[bytes, ...] = field(default_factory=lambda: tuple(_homes()))
    hard_links: HardLinks = field(default_factory=HardLinks)
    _known: frozenset[tuple[int, int]] = frozenset()
    _known_at: float = float("-inf")

    def reason(self, path: bytes) -> str:
        """Why a path is private, or nothing."""
        if any(is_within(path, own) for own in self.own):
            return "belongs to cmdr itself"
        return "holds keys, passwords or private data" if _PATTERN.search(path) else ""

    def reason_of(self, path: bytes, found: os.stat_result) -> str:
        """Why an open file is private: by its real path, by what stands above it, or as a second name of a secret."""
        if why := self.reason_here(path, found):
            return why
        known = self._identities()
        return _OTHER_NAME if any(identity in known for identity in _above(path)) else ""

    def reason_here(self, path: bytes, found: os.stat_result) -> str:
        """The same about what lies in a folder that was asked about before, so nothing above it is looked at again."""
        if why := self.reason(path):
            return why
        if (found.st_dev, found.st_ino) in self._identities():
            return _OTHER_NAME
        has_others = stat.S_ISREG(found.st_mode) and found.st_nlink > 1
        if has_others and self.hard_links.may_be_private(found, self._known_paths(), self.reason):
            return "is a second name of a private file"
        return ""

    def real(self, folder: int) -> bytes:
        """Where an open folder really lies."""
        return real_path(folder)

    def below(self, folder: bytes) -> list[bytes]:
        """The private places known to stand inside a folder, by their real paths."""
        # Above it as well: the folder may itself be the first half of a name such as `.config/gh`.
        above = os.path.dirname(folder)
        bases = {folder, *_folders_in(folder), above, os.path.dirname(above)}
        here = _real(folder)
        existing = [path for base in bases for path in _existing_in(base)]
        found = {real for path in (*self._known_paths(), *existing) if (real := _real(path)) is not None}
        return sorted(path for path in found if here is not None and is_within(path, here) and os.path.lexists(path))

    def _known_paths(self) -> Iterator[bytes]:
        yield from self.own
        for home in self.homes:
            for name in (*_FOLDERS, *_FILES, *_ONLY_IN_A_HOME):
                yield os.path.join(home, os.fsencode(name))

    def _identities(self) -> frozenset[tuple[int, int]]:
        now = time.monotonic()
        if now - self._known_at > _MAX_AGE_S:
            self._known = frozenset(
                identity for path in self._known_paths() if (identity := _identity(path)) is not None
            )
            self._known_at = now
        return self._known


def _homes() -> set[bytes]:
    # System accounts have `/` or a shared folder for a home; only what holds people's homes counts.
    bases = (b"/home/", b"/Users/", b"/root")
    listed = {os.fsencode(account.pw_dir) for account in pwd.getpwall()}
    return {home for home in listed if home.startswith(bases)} | {os.path.realpath(os.path.expanduser(b"~"))}


def _existing_in(base: bytes) -> list[bytes]:
    """The private places in what may be a home; found by one listing, since there may be a thousand such folders."""
    try:
        names = [name for name in os.listdir(base) if name.lower() in _FIRST]
    except OSError:
        return []
    paths = []
    for name in names:
        paths += [os.path.join(base, name, *rest) for rest in _FIRST[name.lower()]]
    return [path for path in paths if os.path.lexists(path)]


def _real(path: bytes) -> bytes | None:
    try:
        return os.path.realpath(path)
    except OSError:
        return None  # it changed while we looked


def _identity(path: bytes) -> tuple[int, int] | None:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return None
    return seen.st_dev, seen.st_ino


def _above(path: bytes) -> Iterator[tuple[int, int] | None]:
    while path not in (b"/", b""):
        path = os.path.dirname(path)
        yield _identity(path)


def _folders_in(folder: bytes) -> list[bytes]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)][:1000]
    except OSError:
        return []
