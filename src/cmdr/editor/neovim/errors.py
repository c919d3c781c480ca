"""Why Neovim could not do something, as types."""

from cmdr.model.installing import how_to_install


class NeovimError(Exception):
    """Anything that went wrong with a running Neovim."""


class NeovimMissingError(NeovimError):
    """Raised when the library that speaks to Neovim is not installed."""

    def __init__(self) -> None:
        super().__init__(f"Working in Neovim needs pynvim: {how_to_install('pynvim')}")


class NeovimUnreachableError(NeovimError):
    """Raised when no Neovim answers at an address."""

    def __init__(self, address: str) -> None:
        super().__init__(f"No Neovim answers at {address}; start one with: nvim --listen {address}")
        self.address = address


class NeovimBusyError(NeovimError):
    """Raised when Neovim waits for a key and does nothing else until it gets one."""

    def __init__(self) -> None:
        super().__init__("Neovim is waiting for a key; press one there, then try again.")


class NeovimSlowError(NeovimError):
    """Raised when Neovim did not answer in time though it waits for nothing."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Neovim did not answer within {seconds:g} s; it may be busy with something else.")


class NeovimGoneError(NeovimError):
    """Raised when Neovim has ended."""

    def __init__(self) -> None:
        super().__init__("Neovim has ended.")


class NeovimRefusedError(NeovimError):
    """Raised when Neovim refused a request; carries its own words."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Neovim refused: {reason}")
        self.reason = reason
