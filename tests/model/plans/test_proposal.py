"""What is said of proposals that nobody answered in time."""

from cmdr.model.plans.proposal import expired_text


def test_one_is_named_and_of_many_the_latest():
    assert expired_text(["Copy 1 file"]) == "1 proposal expired while you were away (after a day): Copy 1 file"
    assert expired_text([*"abcd"]) == "4 proposals expired while you were away (after a day): b; c; d"
