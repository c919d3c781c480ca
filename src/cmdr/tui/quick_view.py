"""The quick view itself: the file under the cursor below its name."""

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Vertical

from cmdr.tui.appearance import Appearance
from cmdr.tui.file_view import FileView
from cmdr.tui.line_widget import LineWidget
from cmdr.tui.safe_text import fit, printable, shown, width_of


class QuickView(Vertical):
    """A title and the file; follows the cursor a moment after it rests."""

    DEFAULT_CSS = "QuickView { width: 1fr; height: 1fr; } QuickView > QuickTitle { height: 1; }"

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(id="quick")
        self._title = QuickTitle(appearance)
        self.file = FileView(appearance)
        self._wanted: bytes | None = None

    def compose(self) -> ComposeResult:
        """Title above, file below."""
        yield self._title
        yield self.file

    def show(self, path: bytes | None) -> None:
        """Show another file, unless the cursor goes on at once."""
        if path != self._wanted:
            self._wanted = path
            self.set_timer(0.08, self._settle)

    def _settle(self) -> None:
        if self._wanted is not None and self._wanted != self.file.path:
            self.run_worker(self.file.open(self._wanted), exclusive=True)

    def on_file_view_moved(self, message: FileView.Moved) -> None:
        """Tell where we are."""
        message.stop()
        self._title.say(shown(self.file.path.rpartition(b"/")[2]), self.file.describe())


class QuickTitle(LineWidget):
    """The name and a few words."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._texts = ("", "")

    def say(self, left: str, right: str) -> None:
        """Write something else."""
        self._texts = (printable(left), printable(right))
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        """One line."""
        left, right = self._texts
        right = f" {right} " if width_of(right) + 8 < self.size.width else ""
        ink = self.appearance.ink
        return [Segment(fit(f" {left}", self.size.width - width_of(right)), ink["title"]), Segment(right, ink["dim"])]
