"""The driver under Textual: it takes the first frame over without flicker, and never blocks on a stalled terminal."""

from textual.drivers.linux_driver import LinuxDriver

from cmdr.tui.input.alt_keys import register_alt_keys
from cmdr.tui.terminal.startup_terminal import StartupTerminal

MAX_QUEUED_WRITES = 20
"""Drawings that wait to be read; Textual would stop the whole program at thirty."""
RETRY_S = 0.1


_KEEP_TITLE = "\x1b[22;2t"
_RESTORE_TITLE = "\x1b]2;cmdr\x1b\\\x1b[23;2t"
"""A terminal that keeps no titles is left with one that says nothing wrong."""


class NonBlockingDriver(LinuxDriver):
    """Leaves drawings out while nobody reads them, and draws everything anew once somebody does."""

    _is_behind = False
    _is_leaving = False
    _title = ""

    def write(self, data: str) -> None:
        """Write, unless that would have to wait; what gives the terminal back is never left out.

        A terminal that is gone has ended the thread that wrote to it: nobody would ever take what is put before it.
        """
        if self._writer_thread is not None and not self._writer_thread.is_alive():
            return
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
        title, self._title = self._title, ""
        self.show_title(title)

    def stop_application_mode(self) -> None:
        """Give the terminal back, with the title it had."""
        self._is_leaving = True
        if self._title:
            self.write(_RESTORE_TITLE)
        super().stop_application_mode()

    def show_title(self, title: str) -> None:
        """Set the title of the terminal's window, or give it back its own when it is empty; printable text only."""
        if title != self._title:
            began = "" if self._title else _KEEP_TITLE
            self._title = title
            if self._is_leaving:
                return  # the terminal has its own title again
            self.write(f"{began}\x1b]2;{title}\x1b\\" if title else _RESTORE_TITLE)

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
