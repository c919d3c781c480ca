"""Which language servers may check a file: installed ones, in a folder that the person trusts, in a sandbox."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cmdr.core.agents.trust import TrustedFolder, UnreadableTrustList
from cmdr.core.audit.log import AuditRecord
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.editor.diagnostics.known_servers import Offer, installed_servers, project_root, repository_root
from cmdr.files.process_sandbox.backend import ALLOWS_WHOLE_FOLDERS_ONLY, Backend, CannotHide
from cmdr.files.process_sandbox.read_only_paths import protected_below
from cmdr.files.process_sandbox.sandbox_profile import MIB, PROGRAMS, ResourceLimits, SandboxProfile
from cmdr.model.install_hint import install_command
from cmdr.model.names import is_within, to_wire

if TYPE_CHECKING:
    from cmdr.core.agents.shell_commands import ShellCommands
    from cmdr.core.agents.trust import TrustStore
    from cmdr.core.audit.log import Audit
    from cmdr.core.editing.workspace_folders import WorkspaceFolders
    from cmdr.editor.diagnostics.known_servers import Installed, Offer, ServerSpec
    from cmdr.editor.diagnostics.service import Asker
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.launch_spec import LaunchSpec

_LIMITS = ResourceLimits(memory=4096 * MIB, open_files=1024)
"""A server holds a whole project in memory."""
_PATH = "/usr/local/bin:/usr/bin:/bin"
_OWN_FOLDERS = {
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
}


class LanguageServers:
    """Asked about each file anew: trust can be taken back, and a folder can be replaced by another."""

    def __init__(
        self,
        trust: TrustStore,
        sandbox: Sandbox,
        folders: WorkspaceFolders,
        shells: Callable[[], ShellCommands],
        audit: Audit,
    ) -> None:
        self._trust = trust
        self._sandbox = sandbox
        self._folders = folders
        self._shells = shells
        self._audit = audit

    async def offer(self, path: bytes, language_id: str, asker: Asker) -> Offer:
        """The servers for a file, or why there are none; no offer at all where none is installed."""
        found = await in_thread(self._installed, path, language_id)
        if isinstance(found, Offer):
            return found
        try:
            trusted = await in_thread(self._trust.of, path)
        except UnreadableTrustList as error:
            return Offer(why_not=f"Language servers do not run. {error}")
        if trusted is None:
            return await in_thread(_untrusted, path)
        if importlib.util.find_spec("pygls") is None:
            needed = f"they need cmdr-fm[lsp]: {install_command('pygls', 'lsprotocol')}"
            return Offer(why_not=f"Language servers do not run: {needed}")
        backend = await self._shells().ready()
        if backend is None:
            return Offer(why_not="Language servers do not run: no sandbox works on this machine (cmdr doctor).")
        try:
            return await in_thread(self._walled, path, found, trusted, backend, asker)
        except CommandError as error:
            return Offer(why_not=f"Language servers do not run: {error}")

    def _installed(self, path: bytes, language_id: str) -> tuple[Installed, ...] | Offer:
        """The servers that could be used; an empty offer when there are none, which says why if there are others."""
        # Agents or repositories write there: a program from there is theirs, not the person's.
        theirs = {repository_root(path), *self._folders.folders, *self._sandbox.private.hard_links.roots}
        with suppress(UnreadableTrustList):
            theirs |= {folder.path for folder in self._trust.all()}
        if found := installed_servers(language_id, theirs):
            return found
        if not (others := installed_servers(language_id)):
            return Offer()
        program = to_wire(os.fsencode(others[0].spec.command[0]))
        return Offer(
            why_not=f"Language servers do not run: {program} lies in a folder that agents or projects use. "
            "The person installs it elsewhere, or starts cmdr in the project or with --root."
        )

    def _walled(
        self, path: bytes, found: tuple[Installed, ...], trusted: TrustedFolder, backend: Backend, asker: Asker
    ) -> Offer:
        visible = _inner(trusted.path, os.path.realpath(asker.within))
        root = _inner(project_root(path), visible)
        hide = {each for tree in (visible, *trusted.extras.read) for each in self._sandbox.private.below(tree)}
        keep = set(protected_below(visible, self._sandbox.protection)) - hide if trusted.extras.write else set()
        if backend in ALLOWS_WHOLE_FOLDERS_ONLY and hide:
            raise CommandError(str(CannotHide(min(hide), backend)).replace(os.fsdecode(min(hide)), to_wire(min(hide))))
        if backend in ALLOWS_WHOLE_FOLDERS_ONLY and keep:
            raise CommandError(
                f"{backend} cannot keep {to_wire(min(keep))} as it is. Install bubblewrap, or trust it without --write."
            )
        by_name = {each.spec.name: each for each in found}

        def start(spec: ServerSpec, home: str) -> LaunchSpec:
            server = by_name[spec.name]
            profile = SandboxProfile(
                root,
                write=(os.fsencode(home), *((visible,) if trusted.extras.write else ())),
                read=(*(() if trusted.extras.write else (visible,)), *_outside(server.read), *trusted.extras.read),
                hide=tuple(sorted(hide)),
                read_only=tuple(sorted(keep)),
                limits=_LIMITS,
                variables=_variables(home, server.path),
                network=trusted.extras.network,
            )
            self._audit.record(
                AuditRecord(asker.name, f"language server {spec.name}", "", "started", paths=(to_wire(root),))
            )
            return self._shells().launcher([os.fsencode(word) for word in spec.command], profile)

        return Offer(tuple(each.spec for each in found), root, visible, start)


def _untrusted(path: bytes) -> Offer:
    folder = repository_root(path)
    # The same words each time: a client that compares two answers sees no difference here.
    why = f"Built-in syntax checks only: the person has not trusted {to_wire(folder)}, so language servers do not run."
    return Offer(why_not=why, untrusted=folder)


def _inner(one: bytes, other: bytes) -> bytes:
    """The inner of two folders, of which one lies in the other."""
    return one if is_within(one, other) else other


def _outside(places: frozenset[bytes]) -> list[bytes]:
    """What is not among the programs that everybody sees."""
    return sorted(place for place in places if not any(is_within(place, known) for known in PROGRAMS))


def _variables(home: str, path: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    folders = {name: os.path.join(home, folder) for name, folder in _OWN_FOLDERS.items()}
    return (("HOME", home), *folders.items(), ("PATH", os.pathsep.join([*path, _PATH])))
