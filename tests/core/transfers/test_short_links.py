"""Links for a short time: one caller's own, not too many, and if so made for one use."""

import pytest

from cmdr.core.errors import NotThere
from cmdr.core.transfers.short_links import MOST_PER_OWNER, ShortLinks

LIFETIME_S = 600.0


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def links():
    return ShortLinks(LIFETIME_S)


def test_a_link_leads_its_owner_to_the_target_again_and_again(links):
    handle = links.make("one", b"/a")
    assert [links.take("one", handle) for _ in range(3)] == [b"/a"] * 3


def test_a_link_of_another_caller_does_not_exist(links):
    handle = links.make("one", b"/a")
    with pytest.raises(NotThere):
        links.take("other", handle)
    assert links.take("one", handle) == b"/a"


@pytest.mark.parametrize("is_single_use", [False, True])
def test_a_link_ends_after_its_time(is_single_use):
    clock = Clock()
    links = ShortLinks(LIFETIME_S, is_single_use=is_single_use, clock=clock)
    early, late = links.make("one", b"/a"), links.make("one", b"/a")
    clock.now += LIFETIME_S - 1
    assert links.take("one", early) == b"/a"
    clock.now += 1
    with pytest.raises(NotThere, match="too old"):
        links.take("one", late)


def test_a_link_for_one_use_works_once():
    links = ShortLinks(LIFETIME_S, is_single_use=True)
    handle, other = links.make("one", b"/a"), links.make("one", b"/b")
    assert links.take("one", handle) == b"/a"
    with pytest.raises(NotThere):
        links.take("one", handle)
    assert links.take("one", other) == b"/b"


def test_the_oldest_link_gives_way_to_a_new_one_of_the_same_caller(links):
    others = links.make("other", b"/other")
    first, second, *_ = [links.make("one", b"/a") for _ in range(MOST_PER_OWNER + 1)]
    with pytest.raises(NotThere):
        links.take("one", first)
    assert links.take("one", second) == b"/a"
    assert links.take("other", others) == b"/other"


def test_links_that_are_too_old_are_forgotten_with_their_owners():
    clock = Clock()
    links = ShortLinks(LIFETIME_S, clock=clock)
    for number in range(300):
        links.make(f"caller{number}", b"/a")
    assert len(links) == 300
    clock.now += LIFETIME_S
    links.make("one", b"/a")
    assert len(links) == len(links._of) == 1
