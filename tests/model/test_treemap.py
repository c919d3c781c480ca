"""A treemap fills its box with rectangles as large as what they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.model.treemap import Box, squarify

SIZES = st.lists(st.integers(min_value=0, max_value=10**13), min_size=0, max_size=120)
SIDES = st.floats(min_value=1, max_value=5000)


@given(SIZES, SIDES, SIDES)
def test_every_size_gets_its_share_of_the_box(sizes, width, height):
    boxes = squarify(sizes, Box(0, 0, width, height))
    assert len(boxes) == len(sizes)
    total = sum(sizes)
    for size, box in zip(sizes, boxes, strict=True):
        share = size / total if total else 0
        assert box.area == pytest.approx(share * width * height, rel=1e-6, abs=1e-6 * width * height)


@given(SIZES, SIDES, SIDES)
def test_every_rectangle_lies_inside_the_box(sizes, width, height):
    slack = 1e-6 * max(width, height)
    for box in squarify(sizes, Box(3, 5, width, height)):
        assert box.width >= -slack
        assert box.height >= -slack
        assert box.x >= 3 - slack
        assert box.y >= 5 - slack
        assert box.x + box.width <= 3 + width + slack
        assert box.y + box.height <= 5 + height + slack


@given(st.lists(st.integers(min_value=1, max_value=1000), min_size=1, max_size=40), SIDES, SIDES)
def test_no_two_rectangles_overlap(sizes, width, height):
    boxes = squarify(sorted(sizes, reverse=True), Box(0, 0, width, height))
    slack = 1e-6 * max(width, height)
    for index, one in enumerate(boxes):
        for other in boxes[index + 1 :]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert across <= slack or down <= slack


def test_rectangles_are_as_square_as_the_known_example():
    """The example of the paper that named the method: areas 6, 6, 4, 3, 2, 2, 1 in a box of 6 by 4."""
    boxes = squarify([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    assert [(round(box.width, 2), round(box.height, 2)) for box in boxes[:2]] == [(3, 2), (3, 2)]
    assert max(max(box.width / box.height, box.height / box.width) for box in boxes) < 3


def test_nothing_and_no_room_are_empty_rectangles():
    assert squarify([], Box(0, 0, 10, 10)) == []
    assert [box.area for box in squarify([0, 0], Box(0, 0, 10, 10))] == [0, 0]
    assert [box.area for box in squarify([1, 2], Box(0, 0, 0, 10))] == [0, 0]
