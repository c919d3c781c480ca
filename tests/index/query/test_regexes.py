"""Names as text for regular expressions: kept while somebody asks, given back after that, and made again."""

from cmdr.index.query import regexes
from cmdr.model.filters.filter_text import from_text


def test_what_is_kept_for_expressions_goes_and_comes_again(indexed, monkeypatch):
    monkeypatch.setattr(regexes, "_TEXTS_TTL_S", 1000.0)
    segment = indexed.view.base
    everything = from_text('name:regex"^[a-z.]*$"c')
    first = indexed.ask(everything)
    assert first.count
    assert segment in regexes._texts
    regexes._expiry.function()  # what the timer does when its time has come
    assert segment not in regexes._texts
    indexed._found.clear()
    assert indexed.ask(everything).rows.tolist() == first.rows.tolist()
    regexes._expiry.cancel()


def test_an_expression_that_few_names_can_match_keeps_nothing(indexed):
    regexes.drop_name_texts()
    assert indexed.ask(from_text('name:regex"settings.*ies$"')).count == 1
    assert indexed.view.base not in regexes._texts
