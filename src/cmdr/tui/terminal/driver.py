"""The driver under Textual: it takes the first frame over without flicker, and never blocks on a stalled terminal."""

from textual.drivers.linux_driver import LinuxDriver

from cmdr.tui.input.alt_keys import register_alt_keys
from cmdr.tui.terminal.startup_terminal import StartupTerminal

MAX_QUEUED_WRITES = 20
"""Drawings that wait to be read; Textual would stop the whole program at thirty."""
RETRY_S = 0.1


class NonBlockingDriver(LinuxDriver):
    """Leaves drawings out while nobody reads them, and draws everything anew once somebody does."""

    _is_behind = False
    _is_leaving = False

    def write(self, data: str) -> None:
        """Write, unless that would have to wait; what gives the terminal back is never left out."""
        if not self._is_leaving and (self._is_behind or self._waiting >= MAX_QUEUED_WRITES):
            if not self._is_behind:
                self._is_behind = True
                self._loop.call_soon_threadsafe(self._catch_up)
            return
        super().write(data)

    def start_application_mode(self) -> None:
        """Begin to draw and to read keys, unless the program ends: nobody would stop that any more."""
        if self._app._exit:
            return
        self._is_leaving = False
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Give the terminal back."""
        self._is_leaving = True
        super().stop_application_mode()

    @property
    def _waiting(self) -> int:
        return 0 if self._writer_thread is None else self._writer_thread._queue.qsize()

    def _catch_up(self) -> None:
        if self._waiting:
            self._loop.call_later(RETRY_S, self._catch_up)
            return
        self._is_behind = False
        if not self._is_leaving:
            self._app.refresh(layout=True)


_ALTERNATE_SCREEN = "\x1b[?1049h"


def takeover_driver(startup: StartupTerminal) -> type[LinuxDriver]:
    """A driver that draws over the first frame; once suspended and resumed, it is like any other."""

    register_alt_keys()

    class TakeoverDriver(NonBlockingDriver):
        def write(self, data: str) -> None:
            # Most terminals clear the other screen when it is switched to, even if it is there already.
            if not (startup.shows_first_frame and data == _ALTERNATE_SCREEN):
                super().write(data)

        def start_application_mode(self) -> None:
            super().start_application_mode()
            if startup.shows_first_frame:
                startup.shows_first_frame = False
                self.attrs_before = startup.saved_attributes

    return TakeoverDriver
