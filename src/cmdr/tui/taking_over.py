"""Textual takes over a screen on which the first picture stands already: no switch, no clearing, no flicker."""

from textual.drivers.linux_driver import LinuxDriver

from cmdr.tui.alt_keys import know_alt_keys
from cmdr.tui.held_terminal import HeldTerminal
from cmdr.tui.patient_driver import PatientDriver

_ALTERNATE_SCREEN = "\x1b[?1049h"


def driver_over(held: HeldTerminal) -> type[LinuxDriver]:
    """A driver that draws over the picture; when it steps aside and comes back, it is like any other."""

    know_alt_keys()

    class TakingOver(PatientDriver):
        def write(self, data: str) -> None:
            # Most terminals clear the other screen when it is switched to, even if it is there already.
            if not (held.has_picture and data == _ALTERNATE_SCREEN):
                super().write(data)

        def start_application_mode(self) -> None:
            super().start_application_mode()
            if held.has_picture:
                held.has_picture = False
                self.attrs_before = held.before

    return TakingOver
