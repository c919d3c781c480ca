"""What fills a folder, for the faces that draw it: known, being read, or refused in words."""

import pytest

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.core.trees.folder_space import space_in


async def test_what_is_no_folder_is_refused_in_words(core, tmp_path):
    """The page was told that cmdr had failed inside."""
    async with core(indexes=str(tmp_path / "indexes")) as commander:
        with pytest.raises(CommandError, match="is not a folder, so there is no tree to index"):
            await space_in(commander, bytes(tmp_path / "nowhere"), PERSON)
