"""Which folders agents may use in this run, and what stays private in them."""

import os

from cmdr.core import places
from cmdr.core.environment import BadSetting
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.reach import Sandbox
from cmdr.files.sandbox.refused_paths import BadRoot
from cmdr.files.shell.kept_places import program_code
from cmdr.model.root_spec import RootSpec


def sandbox_of(chosen: tuple[RootSpec, ...], usual: bytes) -> Sandbox:
    """The roots a person chose, else the folder cmdr was started in; a chosen one that cannot be opened is an error."""
    private = PrivatePlaces(own=own_places())
    try:
        return Sandbox(chosen or (RootSpec(usual),), private, program=tuple(program_code()))
    except BadRoot as error:
        if chosen:
            raise BadSetting(str(error)) from error
        return Sandbox((), private, program=tuple(program_code()))


def own_places() -> tuple[bytes, ...]:
    """Where cmdr keeps tokens, journal, audit and settings: no agent's business, wherever the roots are."""
    folders = (places.state(), places.runtime(), places.config())
    return tuple(os.path.realpath(os.fsencode(folder)) for folder in folders)
