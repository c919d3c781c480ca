"""No rule admits what its words exclude: random plans and rules, judged by code that knows nothing of the matcher."""

import pytest
from tests.core.rules.rules_ground import House
from tests.core.rules.rules_oracle import try_them


@pytest.mark.parametrize("seed", range(10))
async def test_no_rule_admits_what_its_words_exclude(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    tally = await try_them(House(tmp_path), seed, 30)
    assert tally.wrong == []
    assert tally.asked > 0
