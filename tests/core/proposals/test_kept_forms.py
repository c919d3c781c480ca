"""What is kept over a restart is the same again, byte for byte, or it is not believed."""

import hashlib
import json
import os
import zlib
from dataclasses import replace

import pytest

from cmdr.core.proposals import kept_forms
from cmdr.core.proposals.kept_forms import (
    Damaged,
    KeptEdit,
    KeptEdits,
    KeptProposal,
    KeptText,
    TooLarge,
    decode,
    encode,
)
from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.model.plans.command_plan import CodePlan, CommandPlan
from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.plans.trust_plan import Extras, TrustPlan
from cmdr.model.root_spec import RootSpec
from cmdr.model.texts.text_format import content_digest, read_text

WALLS = {
    "command": "make é\n\udce9",
    "folder": b"/w\xff",
    "seconds": 30,
    "sandbox": "bubblewrap",
    "trees": (RootSpec(b"/w\xff"), RootSpec(b"/r", True)),
    "hidden": (b"/w/.env",),
    "kept": (b"/w/.git/hooks",),
    "unkept": (b"/w/x",),
}


def plans(folder):
    """One plan of each sort, on real files."""
    (folder / "a").write_bytes(b"a" * 10)
    (folder / "box" / "deep").mkdir(parents=True)
    (folder / "box" / "deep" / os.fsdecode(b"b\xff")).write_bytes(b"b")
    (folder / "to").mkdir()
    paths = [os.fsencode(folder / "a"), os.fsencode(folder / "box")]
    to = os.fsencode(folder / "to")
    return {
        "copy": plan_copy(paths, to),
        "move": plan_move(paths, to),
        "trash": plan_trash(paths),
        "delete": plan_delete(paths),
        "mkdir": plan_mkdir(os.fsencode(folder / "new")),
        "mkfile": plan_mkfile(os.fsencode(folder / "new.txt"), b"\0contents\n" * 3),
        "write": plan_write(os.fsencode(folder / "a"), b"other", content_digest(b"a" * 10)),
        "command": CommandPlan(Verb.RUN, (), **WALLS),
        "code": CodePlan(Verb.RUN, (), client="agent:a", **WALLS),
        "trust": TrustPlan(
            Verb.TRUST, (), folder=b"/w\xff", identity=(1, 2, None), extras=Extras(True, False, (b"/lib\xff",))
        ),
    }


SORTS = ["copy", "move", "trash", "delete", "mkdir", "mkfile", "write", "command", "code", "trust"]


def kept(plan):
    return KeptProposal("p_123456789012", "agent:a", "bec\udcffause", 1.5, 2.5, plan)


def edit(base=b"one\r\ntwo\r\n", proposed="1\ntwo\n\ud800"):
    made = KeptEdit(
        "r_123456789012", "agent:a", 1.5, 2.5, "Agent \u202e", "tab", b"/a\xff", b"/b\xff",
        None if base is None else read_text(base), proposed, "is obeyed", b"/link\xff" if base else None, "",
    )  # fmt: skip
    return replace(made, digest=made.review().digest)


@pytest.mark.parametrize("sort", SORTS)
def test_a_plan_of_every_sort_is_the_same_again(tmp_path, sort):
    plan = plans(tmp_path)[sort]
    again = decode(encode(kept(plan)))
    assert (again.id, again.by, again.reason, again.since, again.expires) == (
        "p_123456789012",
        "agent:a",
        "bec\udcffause",
        1.5,
        2.5,
    )
    assert (type(again.plan), again.digest) == (type(plan), plan.digest)
    assert again.plan.encoded == plan.encoded
    assert [item.data for item in again.plan.items] == [item.data for item in plan.items]
    for field in ("command", "trees", "hidden", "kept", "unkept", "client", "folder", "identity", "extras"):
        assert getattr(again.plan, field, None) == getattr(plan, field, None)


@pytest.mark.parametrize("base", [None, b"one\r\ntwo\r\n", b"\xef\xbb\xbfmarked\n", "é\n".encode("latin-1")])
def test_an_edit_is_the_same_again_with_its_digest(base):
    first = edit(base, "1\ntwo\n")
    again = decode(encode(first))
    assert again == first
    assert again.review().digest == first.review().digest
    assert decode(encode(edit(base))).proposed == "1\ntwo\n\ud800"


def test_an_edit_of_many_files_is_the_same_again_with_its_digest():
    texts = [
        KeptText(f"/{number}\udcff".encode("utf-8", "surrogateescape"), base and read_text(base), "1\ntwo\n", why, link)
        for number, (base, why, link) in enumerate(
            [(None, "", None), (b"one\r\ntwo\r\n", "is obeyed", b"/link\xff"), (b"\xef\xbb\xbfmarked\n", "", None)]
        )
    ]
    first = KeptEdits("r_123456789012", "agent:a", 1.5, 2.5, "Agent", "tab", tuple(texts), ("left out: x",), "")
    first = replace(first, digest=first.review().digest)
    assert decode(encode(first)) == first
    with pytest.raises(Damaged, match="its digest is another"):
        decode(encode(replace(first, digest="0" * 64)))


def test_more_steps_or_bytes_than_are_read_back_in_a_moment_are_not_kept(tmp_path, monkeypatch):
    plan = plans(tmp_path)["copy"]
    monkeypatch.setattr(kept_forms, "MAX_STEPS", 1)
    with pytest.raises(TooLarge, match="more than 1 steps"):
        encode(kept(plan))
    monkeypatch.setattr(kept_forms, "MAX_PAYLOAD_BYTES", 100)
    with pytest.raises(TooLarge, match="larger than 0 MiB"):
        encode(edit())


def test_one_changed_bit_anywhere_is_noticed_or_means_nothing(tmp_path):
    plan = plans(tmp_path)["mkfile"]
    data, damaged = encode(kept(plan)), 0
    for place in range(len(data)):
        other = bytearray(data)
        other[place] ^= 0x20
        try:
            assert encode(decode(bytes(other))) == data  # a bit that fills up the last byte of the packing
        except Damaged:
            damaged += 1
    assert damaged >= len(data) - 1


@pytest.mark.parametrize("cut", [0, 1, 10, 80, -1])
def test_what_was_cut_off_is_noticed(tmp_path, cut):
    with pytest.raises(Damaged):
        decode(encode(kept(plans(tmp_path)["copy"]))[:cut])


def forged(change, plan=None):
    """A form whose head was changed by somebody who knows how forms are made."""
    data = encode(kept(plan) if plan is not None else edit())
    payload = zlib.decompress(data.partition(b"\n")[2])
    first, _, rest = payload.partition(b"\n")
    head = json.loads(first)
    change(head)
    payload = json.dumps(head).encode() + b"\n" + rest
    check = hashlib.sha256(payload).hexdigest().encode()
    return b"cmdr kept 1 " + check + b"\n" + zlib.compress(payload)


def test_a_plan_under_another_digest_is_not_believed():
    with pytest.raises(Damaged, match="digest is another"):
        decode(forged(lambda head: head.update(digest="0" * 64), CommandPlan(Verb.RUN, (), **WALLS)))


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head.update(kind="other"),
        lambda head: head.pop("since"),
        lambda head: head.update(parts=None),
        lambda head: head.update(parts=[1, 2, 3]),
        lambda head: head.update(digest="0" * 64),
        lambda head: head.update(base=[1]),
        lambda head: head.update(path=7),
        lambda head: head.update(path="\u4000"),
    ],
)
def test_whatever_is_wrong_with_the_head_is_damage(change):
    with pytest.raises(Damaged):
        decode(forged(change))


def test_contents_that_belong_to_another_plan_are_noticed(tmp_path):
    plan = plans(tmp_path)["mkfile"]
    with pytest.raises(Damaged):
        decode(forged(lambda head: head.update(contents=[]), plan))


def test_a_form_that_unfolds_without_end_is_not_read(monkeypatch):
    monkeypatch.setattr(kept_forms, "MAX_PAYLOAD_BYTES", 1000)
    check = hashlib.sha256(b"0" * 10**6).hexdigest().encode()
    with pytest.raises(Damaged, match="longer than it may be"):
        decode(b"cmdr kept 1 " + check + b"\n" + zlib.compress(b"0" * 10**6))


def test_a_plan_of_very_many_items_is_the_same_again(tmp_path):
    names = [f"{number:05}" for number in range(150)]
    for name in names:
        (tmp_path / name).write_text(name)
    (tmp_path / "to").mkdir()
    plan = plan_copy([os.fsencode(tmp_path / name) for name in names], os.fsencode(tmp_path / "to"))
    again = decode(encode(kept(plan))).plan
    assert isinstance(again, Plan) and list(again.items) == list(plan.items)
