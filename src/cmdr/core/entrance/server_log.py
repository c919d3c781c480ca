"""The log file: what the program did and what went wrong, one JSON object a line, never tokens or file contents."""

import json
import logging
import logging.handlers
import os
from datetime import datetime
from io import TextIOWrapper

from cmdr.core.redaction import redacted

LONGEST = 4 * 2**20
KEPT = 3
LONGEST_LINE = 16_000


class LogLines(logging.Formatter):
    """Each record as one line of JSON, with secrets taken out of all of it, arguments and tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        row = {
            "at": datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "text": redacted(record.getMessage())[:LONGEST_LINE],
        }
        if record.exc_info:
            row["error"] = redacted(self.formatException(record.exc_info))[-LONGEST_LINE:]
        return json.dumps(row, ensure_ascii=True)


def log_to(folder: str) -> str:
    """Send the program's log to a rotating file that only we can read, and return its path."""
    path = os.path.join(folder, "cmdr.log")
    handler = _PrivateLog(path, maxBytes=LONGEST, backupCount=KEPT, encoding="utf-8", delay=True)
    handler.setFormatter(LogLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    # Every request and every session would be a line otherwise.
    for noisy in ("mcp", "uvicorn.access", "watchfiles"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return path


class _PrivateLog(logging.handlers.RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return open(os.open(self.baseFilename, flags, 0o600), "a", encoding=self.encoding)
