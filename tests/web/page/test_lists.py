"""What the page's lists say."""

from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Verb
from cmdr.web.page.lists import _operation
from cmdr.web.page.rows import Style


def test_a_rename_is_told_with_its_new_name():
    entry = HistoryEntry(
        7, Verb.RENAME, OperationState.DONE, "person:terminal", 0.0, 1.0, 3, 3, b"/a/old", b"new\xff", None, None, None
    )
    told = _operation(entry, Style("binary", "iso", 0.0))
    assert told["what"] == "/a/old → new\\xff and 2 more"
