"""Which folders agents may use in this run, who said so, and what stays private in them."""

import os
from dataclasses import dataclass
from enum import StrEnum

from cmdr.core import places
from cmdr.core.environment import BadSetting
from cmdr.core.settings import ROOTS, Settings
from cmdr.files.process_sandbox.read_only_paths import program_paths
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.resolved_path import BadRoot
from cmdr.model.names import is_within
from cmdr.model.root_spec import RootSpec, parse_roots


class Origin(StrEnum):
    """Who chose the roots; the first of these that says anything decides, the others are not looked at."""

    FLAG = "--root"
    ENVIRONMENT = "CMDR_ROOTS"
    SETTINGS = f"{ROOTS} in settings.toml"
    USUAL = "the left pane's folder at start, of a home all but its hidden files"


@dataclass(frozen=True, slots=True)
class ChosenRoots:
    """The roots of a run, and where they come from."""

    origin: Origin
    roots: tuple[RootSpec, ...]

    @property
    def missing(self) -> tuple[RootSpec, ...]:
        """Those that are no folders now."""
        return tuple(root for root in self.roots if not os.path.isdir(root.path))


def chosen_roots(
    flags: tuple[RootSpec, ...], environment: tuple[RootSpec, ...], settings: Settings, usual: bytes | None = None
) -> ChosenRoots:
    """What holds: the flags, else the environment, else the settings, else the usual folder.

    A usual folder above the person's home stands for that home: a desktop program starts cmdr in `/`, and meant
    nothing by it.
    """
    if flags:
        return ChosenRoots(Origin.FLAG, flags)
    if environment:
        return ChosenRoots(Origin.ENVIRONMENT, environment)
    if not settings.is_clear(ROOTS):
        # The person meant something by it, perhaps less than the usual folder: until it is mended, nothing.
        return ChosenRoots(Origin.SETTINGS, ())
    if kept := parse_roots(settings.text(ROOTS)):
        return ChosenRoots(Origin.SETTINGS, kept)
    return ChosenRoots(Origin.USUAL, () if usual is None else (RootSpec(_at_most_home(usual)),))


def _at_most_home(folder: bytes) -> bytes:
    home = os.path.realpath(os.path.expanduser(b"~"))
    return home if os.path.isdir(home) and is_within(home, os.path.realpath(folder)) else folder


def open_sandbox(chosen: ChosenRoots, settings: Settings) -> Sandbox:
    """The sandbox with these roots held open.

    What was asked for at this very start and cannot be opened is an error. A folder that the settings name may be on
    a disk that is not there today: it is left out, and the person is told.
    """
    private = PrivatePlaces(own=own_folders())
    roots, code = list(chosen.roots), tuple(program_paths())
    while True:
        try:
            is_chosen = chosen.origin is not Origin.USUAL
            return Sandbox(roots, private, program=code, run_from=path_folders(), is_chosen=is_chosen)
        except BadRoot as error:
            if chosen.origin in (Origin.FLAG, Origin.ENVIRONMENT):
                raise BadSetting(f"{chosen.origin}: {error}") from error
            roots = [root for root in roots if root.path != error.path]
            if chosen.origin is Origin.SETTINGS:
                settings.problems.append(f"{chosen.origin}: {error} Agents do without it until the next start.")


def path_folders() -> tuple[bytes, ...]:
    """Where a shell of the person's finds programs: what lands there is run by name, perhaps instead of another."""
    folders = [os.fsencode(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    return tuple(sorted({os.path.realpath(folder) for folder in folders if folder.startswith(b"/")}))


def own_folders() -> tuple[bytes, ...]:
    """Where cmdr keeps tokens, journal, audit and settings: no agent's business, wherever the roots are."""
    folders = (places.state(), places.runtime(), places.config())
    return tuple(os.path.realpath(os.fsencode(folder)) for folder in folders)
