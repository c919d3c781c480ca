"""Names in the forms that other engines compare: none is lost, and none is taken for another."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from cmdr.index.fleets.export_rows import raw_text, texts
from cmdr.index.snapshots.name_blobs import fold
from cmdr.model.names import to_wire

pieces = st.sampled_from(
    [
        b"a",
        b"Z",
        b"/",
        b"\\",
        b"\xff",
        b"\xe9",
        b"\xc3",
        b"\xa9",
        "é".encode(),
        "e\u0301".encode(),
        "\U0010fee9".encode(),
    ]
)
names = st.one_of(st.binary(max_size=12), st.lists(pieces, max_size=8).map(b"".join))


@given(one=names, other=names)
def test_two_names_have_one_raw_form_only_when_they_are_one(one, other):
    assert (raw_text(one) == raw_text(other)) == (one == other)
    raw_text(one).encode()  # any engine can hold it


@given(name=names)
def test_what_is_left_out_can_be_had_from_the_printable_form(name):
    made = texts(name)
    raw, text, folded = made.beside()
    shown = to_wire(name)
    assert (shown if raw is None else raw) == raw_text(name)
    assert (shown if text is None else text) == name.decode("utf-8", "replace")
    assert (shown.lower() if folded is None else folded) == raw_text(fold(name))


@given(folder=names, name=names.map(lambda name: name.replace(b"/", b"")))
def test_a_path_is_put_together_from_the_forms_of_its_parts(folder, name):
    folder = posixpath.normpath(b"/" + folder)
    folder = b"/" + folder.lstrip(b"/")
    assert texts(name).under(texts(folder)) == texts(folder.rstrip(b"/") + b"/" + name)


def test_plain_names_need_nothing_beside_them():
    assert texts(b"Report 1.txt").beside() == (None, None, None)
    assert texts("Übersicht".encode()).beside() == (None, None, "übersicht")
    assert texts(b"caf\xe9").beside() == ("caf\U0010fee9", "caf\ufffd", "caf\U0010fee9")
