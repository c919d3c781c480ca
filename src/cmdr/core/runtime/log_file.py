"""The log file: what the program did and what went wrong, one JSON object a line, never tokens or file contents."""

import json
import logging
import logging.handlers
import os
import re
from datetime import datetime
from io import TextIOWrapper

MAX_FILE_BYTES = 4 * 2**20
BACKUP_FILES = 3
MAX_LINE_CHARACTERS = 16_000
REMOVED = "[removed]"
_SECRETS = (
    re.compile(r"cmdr_[A-Za-z0-9_-]{16,}"),
    re.compile(r"(?i)\b(bearer|basic)(\s+|%20)[^\s\"',;]+"),
    # A whole header line, or a pair of a header list, in whichever way it was printed.
    re.compile(
        r"(?i)((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)(['\"]?\s*[:=,]\s*)(b?['\"][^'\"]*['\"]|[^\r\n]+)"
    ),
    re.compile(r"(?i)([?&](?:code|token|key|secret|password)=)[^\s&\"'#]+"),
    re.compile(r"(?i)\b(cmdr-\d{1,5}=)[^\s;\"']+"),
    re.compile(r"(?i)\b(token|password|passwd|secret|api_?key)(['\"]?\s*[:=]\s*['\"]?)[^\s\"',;&]{6,}"),
)
_REPLACEMENTS = (REMOVED, rf"\1\2{REMOVED}", rf"\1\2{REMOVED}", rf"\1{REMOVED}", rf"\1{REMOVED}", rf"\1\2{REMOVED}")


# Looking for plain words is much faster than the patterns, and most lines have none of them.
_HINTS = tuple("cmdr_ cmdr- bearer basic authorization cookie key code= token secret passw".split())


def redacted(text: str) -> str:
    """The text without anything that would let somebody in."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    for pattern, instead in zip(_SECRETS, _REPLACEMENTS, strict=True):
        text = pattern.sub(instead, text)
    return text


class LogLines(logging.Formatter):
    """Each record as one line of JSON, with secrets taken out of all of it, arguments and tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        row = {
            "at": datetime.fromtimestamp(record.created).astimezone().isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "text": redacted(record.getMessage())[:MAX_LINE_CHARACTERS],
        }
        if record.exc_info:
            row["error"] = redacted(self.formatException(record.exc_info))[-MAX_LINE_CHARACTERS:]
        return json.dumps(row, ensure_ascii=True)


def log_to(folder: str) -> str:
    """Send the program's log to a rotating file that only we can read, and return its path."""
    path = os.path.join(folder, "cmdr.log")
    handler = _PrivateLog(path, maxBytes=MAX_FILE_BYTES, backupCount=BACKUP_FILES, encoding="utf-8", delay=True)
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
