"""Commands over big trees: sessions, indexes, queries, sets, finding, reports."""
