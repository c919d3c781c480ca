"""The log file: what the program did and what went wrong, never tokens or file contents."""

import logging
import logging.handlers
import os

LONGEST = 4 * 2**20
FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


def log_to(folder: str) -> str:
    """Send the program's log to a rotating file and return its path."""
    path = os.path.join(folder, "cmdr.log")
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=4 * 2**20, backupCount=3, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter(FORMAT))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    # Every request and every session would be a line otherwise.
    for noisy in ("mcp", "uvicorn.access", "watchfiles"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return path
