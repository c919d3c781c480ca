"""Watches a folder for changes, through the system's own notifications."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing, suppress
from importlib import import_module

UNKNOWN_NAME = "\ufffd".encode()
"""Stands for a changed name that the watcher could not tell: one that is not UTF-8."""
RETRY_DELAY_S = 0.2


async def changes(path: bytes, stop: asyncio.Event) -> AsyncGenerator[frozenset[bytes], None]:
    """The names that changed in a folder, gathered over a few milliseconds; ends when `stop` is set.

    An answer without names says that the watch stands, and that no later change will be missed. A folder that cannot
    be watched (gone, forbidden, out of watches) yields nothing and ends.
    """
    with ExitStack() as stack:
        try:
            text = _in_utf8(path, stack)
            while not stop.is_set():
                try:
                    async with aclosing(_batches(text, stop)) as batches:
                        async for names in batches:
                            yield names
                except ExceptionGroup:
                    # The watcher breaks on a name that is not UTF-8. Something did change; then watch anew.
                    yield frozenset({UNKNOWN_NAME})
                    with suppress(TimeoutError):
                        async with asyncio.timeout(RETRY_DELAY_S):
                            await stop.wait()
        except (OSError, RuntimeError, ValueError):
            return


async def _batches(path: str, stop: asyncio.Event) -> AsyncGenerator[frozenset[bytes], None]:
    # Loaded late and beside the loop: it brings much with it, and what is watched is shown already.
    await asyncio.to_thread(import_module, "watchfiles")
    from watchfiles import awatch

    watcher = awatch(
        path,
        watch_filter=None,
        debounce=200,
        step=20,
        stop_event=stop,
        recursive=False,
        ignore_permission_denied=False,
    )
    async with aclosing(watcher):
        batch = asyncio.ensure_future(anext(watcher))
        try:
            await asyncio.sleep(0)  # in its first step the watcher registers with the system
            if not batch.done():
                yield frozenset()
            while True:
                yield frozenset(os.path.basename(os.fsencode(changed)) for _, changed in await batch)
                batch = asyncio.ensure_future(anext(watcher))
        except StopAsyncIteration:
            return
        finally:
            if not batch.done():
                stop.set()
            await asyncio.gather(batch, return_exceptions=True)


def _in_utf8(path: bytes, stack: ExitStack) -> str:
    """A path as the watcher takes it. One that is not UTF-8 is reached through the open folder itself."""
    try:
        return path.decode()
    except UnicodeDecodeError:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, folder)
        return f"/proc/self/fd/{folder}"
