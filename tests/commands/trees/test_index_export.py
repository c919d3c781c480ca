"""An index as Parquet files, where the person wants them."""

import asyncio

import pytest

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError


def test_a_place_that_cannot_be_written_to_is_told_in_words(inside, tree):
    asked = {"root": str(tree.left), "to": str(tree.left / "readme.md" / "export")}
    work = inside.commander.run(PERSON, "index.export", asked)
    with pytest.raises(CommandError, match=r"cannot be written to .*readme\.md/export: Not a directory"):
        asyncio.run_coroutine_threadsafe(work, inside._loop).result(60)
