"""The driver under Textual."""

import io

from textual.drivers._writer_thread import WriterThread

from cmdr.tui.terminal.driver import NonBlockingDriver


def test_what_is_written_to_a_terminal_that_is_gone_waits_for_nobody():
    """The thread that writes had died on it, the queue was full, and quitting waited without end."""
    writer = WriterThread(io.StringIO())
    writer.start()
    writer.stop()
    while not writer._queue.full():
        writer._queue.put_nowait("x")
    driver = NonBlockingDriver.__new__(NonBlockingDriver)
    driver._writer_thread, driver._is_leaving = writer, True
    driver.write("\x1b[?1049l")
    assert writer._queue.full()
