"""Tell when a shown folder changes, through the system's own notices."""

import asyncio
import os
from collections.abc import AsyncIterator

import watchfiles


async def changes(path: bytes, stop: asyncio.Event) -> AsyncIterator[frozenset[bytes]]:
    """The names that changed in a folder, gathered over a few milliseconds; ends when `stop` is set.

    A folder that cannot be watched (gone, forbidden, out of watches) yields nothing and ends.
    """
    watcher = watchfiles.awatch(
        os.fsdecode(path),
        watch_filter=None,
        debounce=200,
        step=20,
        stop_event=stop,
        recursive=False,
        ignore_permission_denied=True,
    )
    try:
        async for batch in watcher:
            yield frozenset(os.path.basename(os.fsencode(changed)) for _, changed in batch)
    except (OSError, RuntimeError, ValueError):
        return
