"""The command that a kernel is started with: exactly ours, whatever kernels are installed on the machine."""

from importlib.util import find_spec
from typing import Any

from cmdr.model.installing import how_to_install


class KernelMissingError(Exception):
    """Raised when the libraries for running code are not installed."""

    def __init__(self) -> None:
        super().__init__(f"Running code needs Jupyter's kernel: {how_to_install('jupyter_client', 'ipykernel')}")


def check_installed() -> None:
    """Raise `KernelMissingError` when code cannot run here; loads nothing."""
    if find_spec("ipykernel") is None or find_spec("jupyter_client") is None:
        raise KernelMissingError


def manager_class() -> Any:
    """A kernel manager that starts the command it is given; raises `KernelMissingError`."""
    try:
        import ipykernel  # noqa: F401
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import AsyncKernelManager
    except ImportError as error:
        raise KernelMissingError from error

    class CommandManager(AsyncKernelManager):
        command: list[str] = []  # noqa: RUF012

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(argv=self.command, display_name="Python", language="python")

    return CommandManager
