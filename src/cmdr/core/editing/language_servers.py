"""Which language servers may look at a file: those that are installed, where the person trusts the folder, walled."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cmdr.core.agents.trust import BrokenTrust, TrustedFolder
from cmdr.core.audit import AuditRecord
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.files.shell.kept_places import kept_below
from cmdr.files.shell.tiers import CANNOT_CARVE, CannotHide, Tier
from cmdr.files.shell.walls import MIB, PROGRAMS, Limits, Walls
from cmdr.model.installing import how_to_install
from cmdr.model.names import to_wire
from cmdr.model.within import is_within

if TYPE_CHECKING:
    from cmdr.core.agents.shells import Shells
    from cmdr.core.agents.trust import Trust
    from cmdr.core.audit import Audit
    from cmdr.core.editing.workspace_folders import WorkspaceFolders
    from cmdr.editor.diagnostics.desk import Asker
    from cmdr.editor.diagnostics.servers import Installed, Offer, ServerSpec
    from cmdr.files.sandbox.reach import Sandbox
    from cmdr.model.launch import Launch

_LIMITS = Limits(memory=4096 * MIB, open_files=1024)
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
        self, trust: Trust, sandbox: Sandbox, folders: WorkspaceFolders, shells: Callable[[], Shells], audit: Audit
    ) -> None:
        self._trust = trust
        self._sandbox = sandbox
        self._folders = folders
        self._shells = shells
        self._audit = audit

    async def offer(self, path: bytes, language_id: str, asker: Asker) -> Offer:
        """The servers for a file, or why there are none; no offer at all where none is installed."""
        from cmdr.editor.diagnostics.servers import Offer

        found = await in_thread(self._installed, path, language_id)
        if isinstance(found, Offer):
            return found
        try:
            trusted = await in_thread(self._trust.of, path)
        except BrokenTrust as error:
            return Offer(why_not=f"Language servers do not run. {error}")
        if trusted is None:
            return await in_thread(_untrusted, path)
        if importlib.util.find_spec("pygls") is None:
            needed = f"they need cmdr-fm[lsp]: {how_to_install('pygls', 'lsprotocol')}"
            return Offer(why_not=f"Language servers do not run: {needed}")
        tier = await self._shells().ready()
        if tier is None:
            return Offer(why_not="Language servers do not run: no sandbox works on this machine (cmdr doctor).")
        try:
            return await in_thread(self._walled, path, found, trusted, tier, asker)
        except CommandError as error:
            return Offer(why_not=f"Language servers do not run: {error}")

    def _installed(self, path: bytes, language_id: str) -> tuple[Installed, ...] | Offer:
        """The servers that could be used; an empty offer when there are none, which says why if there are others."""
        from cmdr.editor.diagnostics.root import repository_root
        from cmdr.editor.diagnostics.servers import Offer, installed_servers

        # Agents or repositories write there: a program from there is theirs, not the person's.
        theirs = {repository_root(path), *self._folders.folders, *self._sandbox.private.second_names.roots}
        with suppress(BrokenTrust):
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
        self, path: bytes, found: tuple[Installed, ...], trusted: TrustedFolder, tier: Tier, asker: Asker
    ) -> Offer:
        from cmdr.editor.diagnostics.root import project_root
        from cmdr.editor.diagnostics.servers import Offer

        visible = _inner(trusted.path, os.path.realpath(asker.within))
        root = _inner(project_root(path), visible)
        hide = {each for tree in (visible, *trusted.extras.read) for each in self._sandbox.private.below(tree)}
        keep = set(kept_below(visible, self._sandbox.protection)) - hide if trusted.extras.write else set()
        if tier in CANNOT_CARVE and hide:
            raise CommandError(str(CannotHide(min(hide), tier)).replace(os.fsdecode(min(hide)), to_wire(min(hide))))
        if tier in CANNOT_CARVE and keep:
            raise CommandError(
                f"{tier} cannot keep {to_wire(min(keep))} as it is. Install bubblewrap, or trust it without --write."
            )
        by_name = {each.spec.name: each for each in found}

        def start(spec: ServerSpec, home: str) -> Launch:
            server = by_name[spec.name]
            walls = Walls(
                root,
                write=(os.fsencode(home), *((visible,) if trusted.extras.write else ())),
                read=(*(() if trusted.extras.write else (visible,)), *_outside(server.read), *trusted.extras.read),
                hide=tuple(sorted(hide)),
                keep=tuple(sorted(keep)),
                limits=_LIMITS,
                variables=_variables(home, server.path),
                network=trusted.extras.network,
            )
            self._audit.record(
                AuditRecord(asker.name, f"language server {spec.name}", "", "started", paths=(to_wire(root),))
            )
            return self._shells().launcher([os.fsencode(word) for word in spec.command], walls)

        return Offer(tuple(each.spec for each in found), root, visible, start)


def _untrusted(path: bytes) -> Offer:
    from cmdr.editor.diagnostics.root import repository_root
    from cmdr.editor.diagnostics.servers import Offer

    folder = repository_root(path)
    # The same words each time: a client that compares two answers sees no difference here.
    told = f"Built-in syntax checks only: the person has not trusted {to_wire(folder)}, so language servers do not run."
    return Offer(why_not=told, untrusted=folder)


def _inner(one: bytes, other: bytes) -> bytes:
    """The inner of two folders, of which one lies in the other."""
    return one if is_within(one, other) else other


def _outside(places: frozenset[bytes]) -> list[bytes]:
    """What is not among the programs that everybody sees."""
    return sorted(place for place in places if not any(is_within(place, known) for known in PROGRAMS))


def _variables(home: str, path: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    folders = {name: os.path.join(home, folder) for name, folder in _OWN_FOLDERS.items()}
    return (("HOME", home), *folders.items(), ("PATH", os.pathsep.join([*path, _PATH])))
