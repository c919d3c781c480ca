"""Of the SDK only what cmdr uses: its packages load the client, a framework and what those need when they are named.

That is a third of its room and of the time it takes. Here its two packages stand empty until somebody asks them for
something that they would have loaded; modules inside them are found as always.
"""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_PACKAGES = ("mcp", "mcp.server")


class _Later(ModuleType):
    """A package that runs its own code the first time it is asked for a name it does not have yet."""

    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]
        spec.loader.exec_module(self)
        return getattr(self, name)


def load_parts_only() -> None:
    """Put the packages in place before any of their modules is imported; one that is loaded already stays."""
    for name in _PACKAGES:
        if name in sys.modules or (spec := find_spec(name)) is None:
            continue
        package = module_from_spec(spec)
        package.__class__ = _Later
        sys.modules[name] = package
        above, _, leaf = name.rpartition(".")
        if above:
            setattr(sys.modules[above], leaf, package)
