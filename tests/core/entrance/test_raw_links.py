"""Links to raw bytes: one caller's own, for some minutes, and not too many."""

import pytest

from cmdr.core.entrance.raw_links import EACH, LIFETIME, RawLinks
from cmdr.core.errors import NotThere
from cmdr.core.principals import Principal

ONE, OTHER = Principal("agent", "one", token=True), Principal("agent", "other", token=True)


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_link_leads_its_owner_to_the_path():
    links = RawLinks()
    assert links.path(ONE, links.make(ONE, b"/a")) == b"/a"


def test_a_link_of_another_caller_does_not_exist():
    links = RawLinks()
    handle = links.make(ONE, b"/a")
    with pytest.raises(NotThere):
        links.path(OTHER, handle)
    assert links.path(ONE, handle) == b"/a"


def test_a_link_ends_after_its_time():
    clock = Clock()
    links = RawLinks(clock)
    handle = links.make(ONE, b"/a")
    clock.now += LIFETIME - 1
    assert links.path(ONE, handle) == b"/a"
    clock.now += 1
    with pytest.raises(NotThere, match="too old"):
        links.path(ONE, handle)


def test_the_oldest_link_gives_way_to_a_new_one_of_the_same_caller():
    links = RawLinks()
    others = links.make(OTHER, b"/other")
    first, second, *_ = [links.make(ONE, b"/a") for _ in range(EACH + 1)]
    with pytest.raises(NotThere):
        links.path(ONE, first)
    assert links.path(ONE, second) == b"/a"
    assert links.path(OTHER, others) == b"/other"


def test_links_that_are_too_old_are_forgotten_with_their_callers():
    clock = Clock()
    links = RawLinks(clock)
    for number in range(300):
        links.make(Principal("agent", f"caller{number}", token=True), b"/a")
    assert len(links) == 300
    clock.now += LIFETIME
    links.make(ONE, b"/a")
    assert len(links) == len(links._of) == 1
