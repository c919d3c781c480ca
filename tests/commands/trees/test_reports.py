"""The report tool: its kinds in its schema, in the words people use, with sums to the byte."""

import pytest

from cmdr import commands
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.model.trees.reports import KIND_WORDS, KINDS


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    (tmp_path / "state").mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(tmp_path / "state"), **how)


def properties(tool):
    commands.register()
    return REGISTRY.find(tool).schema()["properties"]


def test_the_schema_lists_what_can_be_asked():
    report = properties("report")
    assert report["kind"]["enum"] == list(KINDS)
    assert report["keep"]["enum"] == ["oldest", "newest"]
    assert report["since"]["type"] == "string"
    assert properties("await")["review"]["type"] == "string"
    assert {"type": "string"} in properties("query_run")["ext"]["anyOf"]
    assert {"type": "string"} in properties("query_run")["minSize"]["anyOf"]
    assert {"enum": ["last"]} in properties("undo")["operation"]["anyOf"]
    assert set(KIND_WORDS.values()) <= set(KINDS)


async def test_other_words_for_reports_are_understood_and_wrong_ones_name_the_right(shelf):
    async with shelf() as at:
        assert (await at.agent("report", kind="largest", root=at.path())).startswith("OK: largest-files: 6 in all")
        assert (await at.agent("report", kind="largest-folders", root=at.path())).startswith("OK: largest-dirs: 4 in")
        answer = await at.agent("report", kind="largets-files", root=at.path())
        assert answer.startswith('ERROR: "kind" must be one of largest-files, largest-dirs, ')
        assert answer.endswith('Did you mean "largest-files"?')
        told = await at.agent("report", kind="recent", root=at.path(), since="7d")
        assert told == 'ERROR: "since" is for growth; query_run takes newerThan.'
        told = await at.agent("report", kind="growth", root=at.path(), since="someday")
        assert told.startswith('ERROR: "since" is an epoch or a time; write a date such as')


async def test_what_duplicates_waste_is_told_to_the_byte(shelf):
    async with shelf() as at:
        for name in ("one.bin", "two.bin"):
            (at.root / "left" / name).write_bytes(b"y" * 5000)
        answer = await at.agent("report", kind="duplicates", root=at.path(), keep="newest")
        assert answer.startswith("OK: duplicates: 1 in all, 4.9K (5000b) wasted")
        assert "all but the newest (first named) of each: 1 file, 4.9K (5000b)" in answer
