"""A proposal or an edit as it is kept over a restart: bytes that hold all of it, and back, checked by its digest."""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cmdr.model.plans.command_plan import CodePlan, CommandPlan
from cmdr.model.plans.packed_items import packed
from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.plans.plan_rows import bytes_of, text_of
from cmdr.model.plans.trust_plan import Extras, TrustPlan
from cmdr.model.root_spec import RootSpec
from cmdr.model.texts.files_review import FilesReview
from cmdr.model.texts.review import Review
from cmdr.model.texts.text_format import FileText, TextFormat

MAX_STEPS = 100_000
"""Steps of a plan that is kept: reading more back would hold up the next start."""
MAX_PAYLOAD_BYTES = 64 << 20
"""What one form may unfold to."""
_MARK = b"cmdr kept 1 "
_CHECK = len(hashlib.sha256().hexdigest())


class Damaged(ValueError):
    """This is no form of ours, or not all of it; nothing in it is believed."""


class TooLarge(ValueError):
    """More than is kept."""


@dataclass(frozen=True, slots=True)
class KeptProposal:
    """A proposal that waits, or was approved."""

    id: str
    by: str
    reason: str
    since: float
    expires: float
    plan: Plan

    @property
    def digest(self) -> str:
        """What an approval names."""
        return self.plan.digest


@dataclass(frozen=True, slots=True)
class KeptEdit:
    """An edit that waits, as its agent proposed it."""

    id: str
    by: str
    since: float
    expires: float
    agent: str
    tab: str
    path: bytes
    new_path: bytes
    base: FileText | None
    proposed: str
    protected: str
    link: bytes | None
    digest: str
    """What an acceptance names."""

    def review(self) -> Review:
        """The review of it, as it was when it was proposed; raises `ValueError` when it cannot be shown."""
        return Review(
            self.id,
            connection=self.by,
            agent=self.agent,
            tab=self.tab,
            path=self.path,
            new_path=self.new_path,
            base=self.base,
            proposed=self.proposed,
        )


@dataclass(frozen=True, slots=True)
class KeptText:
    """What an edit of many files proposes for one of them."""

    path: bytes
    base: FileText | None
    proposed: str
    protected: str
    link: bytes | None


@dataclass(frozen=True, slots=True)
class KeptEdits:
    """An edit of many files that waits, as its agent proposed it."""

    id: str
    by: str
    since: float
    expires: float
    agent: str
    tab: str
    texts: tuple[KeptText, ...]
    told: tuple[str, ...]
    digest: str
    """What an acceptance names."""

    def review(self) -> FilesReview:
        """The review of it, as it was when it was proposed; raises `ValueError` when it cannot be shown."""
        files = [
            Review(
                self.id,
                connection=self.by,
                agent=self.agent,
                tab=self.tab,
                path=text.path,
                base=text.base,
                proposed=text.proposed,
            )
            for text in self.texts
        ]
        return FilesReview(self.id, connection=self.by, agent=self.agent, tab=self.tab, files=files)


Kept = KeptProposal | KeptEdit | KeptEdits


def encode(kept: Kept) -> bytes:
    """All of it; raises `TooLarge`."""
    head, parts = _form_of(kept)
    head |= {"digest": kept.digest, "id": kept.id, "by": kept.by, "since": kept.since, "expires": kept.expires}
    head["parts"] = [len(part) for part in parts]
    payload = b"".join([json.dumps(head).encode("ascii"), b"\n", *parts])
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise TooLarge(f"it is larger than {MAX_PAYLOAD_BYTES >> 20} MiB")
    return b"".join([_MARK, hashlib.sha256(payload).hexdigest().encode(), b"\n", zlib.compress(payload, 1)])


def _form_of(kept: Kept) -> tuple[dict[str, Any], list[bytes]]:
    if isinstance(kept, KeptEdits):
        return _edits_form(kept)
    return _edit_form(kept) if isinstance(kept, KeptEdit) else _proposal_form(kept)


def decode(data: bytes) -> Kept:
    """What was kept; raises `Damaged` unless every byte of it, and its digest, is as it was."""
    try:
        return _decoded(data)
    except Damaged:
        raise
    except Exception as error:  # whatever is wrong with it, it is not what was kept
        raise Damaged(f"{type(error).__name__}: {error}") from error


def _decoded(data: bytes) -> Kept:
    line, _, packed_payload = data.partition(b"\n")
    if not line.startswith(_MARK):
        raise Damaged("not a kept proposal of this version")
    unfolding = zlib.decompressobj()
    payload = unfolding.decompress(packed_payload, MAX_PAYLOAD_BYTES)
    if not unfolding.eof or unfolding.unused_data:
        raise Damaged("cut off, or longer than it may be")
    if hashlib.sha256(payload).hexdigest().encode() != line[len(_MARK) :]:
        raise Damaged("not what was written")
    first, _, rest = payload.partition(b"\n")
    head = json.loads(first)
    parts, at = [], 0
    for size in head["parts"]:
        parts.append(rest[at : at + size])
        at += size
    if at != len(rest):
        raise Damaged("its parts are others")
    makes: dict[str, Callable[[Mapping[str, Any], list[bytes]], Kept]] = {"edit": _edit_of, "edits": _edits_of}
    kept = makes.get(head["kind"], _proposal_of)(head, parts)
    found = kept.plan.weigh().digest if isinstance(kept, KeptProposal) else kept.review().digest
    if found != head["digest"]:
        raise Damaged("its digest is another")
    return kept


def _proposal_form(kept: KeptProposal) -> tuple[dict[str, Any], list[bytes]]:
    plan = kept.plan
    head: dict[str, Any] = {"reason": kept.reason}
    if isinstance(plan, CommandPlan):
        return head | _command_form(plan), []
    if isinstance(plan, TrustPlan):
        return head | _trust_form(plan), []
    if len(plan.items) > MAX_STEPS:
        raise TooLarge(f"it has more than {MAX_STEPS:,} steps")
    # Contents of new files are in the digest, and not in the canonical form.
    contents = [(number, item.data) for number, item in enumerate(plan.items) if item.data is not None]
    head |= {"kind": "plan", "contents": [number for number, _ in contents]}
    return head, [plan.encoded, *(data for _, data in contents)]


def _proposal_of(head: Mapping[str, Any], parts: list[bytes]) -> KeptProposal:
    make = {"plan": _plan_of, "command": _command_of, "trust": _trust_of}[head["kind"]]
    return KeptProposal(
        str(head["id"]),
        str(head["by"]),
        str(head["reason"]),
        float(head["since"]),
        float(head["expires"]),
        make(head, parts),
    )


def _plan_of(head: Mapping[str, Any], parts: list[bytes]) -> Plan:
    canonical, *contents = parts
    plan = Plan.decode(canonical)
    if not contents:
        return plan
    held = dict(zip(head["contents"], contents, strict=True))
    items = (replace(item, data=held.get(number)) for number, item in enumerate(plan.items))
    return replace(plan, items=packed(items))


def _command_form(plan: CommandPlan) -> dict[str, Any]:
    return {
        "kind": "command",
        "command": plan.command,
        "folder": text_of(plan.folder),
        "seconds": plan.seconds,
        "sandbox": plan.sandbox,
        "trees": [[text_of(tree.path), tree.read_only] for tree in plan.trees],
        "hidden": _texts(plan.hidden),
        "kept": _texts(plan.kept),
        "unkept": _texts(plan.unkept),
        "client": plan.client if isinstance(plan, CodePlan) else None,
    }


def _command_of(head: Mapping[str, Any], parts: list[bytes]) -> CommandPlan:
    given: dict[str, Any] = {
        "command": str(head["command"]),
        "folder": bytes_of(head["folder"]),
        "seconds": int(head["seconds"]),
        "sandbox": str(head["sandbox"]),
        "trees": tuple(RootSpec(bytes_of(path), bool(read_only)) for path, read_only in head["trees"]),
        "hidden": _paths(head["hidden"]),
        "kept": _paths(head["kept"]),
        "unkept": _paths(head["unkept"]),
    }
    if head["client"] is None:
        return CommandPlan(Verb.RUN, (), **given)
    return CodePlan(Verb.RUN, (), client=str(head["client"]), **given)


def _trust_form(plan: TrustPlan) -> dict[str, Any]:
    extras = plan.extras
    return {
        "kind": "trust",
        "folder": text_of(plan.folder),
        "identity": list(plan.identity),
        "extras": [extras.network, extras.write, _texts(extras.read)],
    }


def _trust_of(head: Mapping[str, Any], parts: list[bytes]) -> TrustPlan:
    device, inode, born = head["identity"]
    network, write, read = head["extras"]
    extras = Extras(bool(network), bool(write), _paths(read))
    return TrustPlan(Verb.TRUST, (), folder=bytes_of(head["folder"]), identity=(device, inode, born), extras=extras)


def _edit_form(edit: KeptEdit) -> tuple[dict[str, Any], list[bytes]]:
    base = edit.base
    head: dict[str, Any] = {
        "kind": "edit",
        "agent": edit.agent,
        "tab": edit.tab,
        "path": text_of(edit.path),
        "new_path": text_of(edit.new_path),
        "protected": edit.protected,
        "link": text_of(edit.link),
        "base": _base_form(base),
    }
    return head, _texts_form(edit.proposed, base)


def _edit_of(head: Mapping[str, Any], parts: list[bytes]) -> KeptEdit:
    proposed, *base = (part.decode("utf-8", "surrogatepass") for part in parts)
    told = head["base"]
    return KeptEdit(
        str(head["id"]),
        str(head["by"]),
        float(head["since"]),
        float(head["expires"]),
        str(head["agent"]),
        str(head["tab"]),
        bytes_of(head["path"]),
        bytes_of(head["new_path"]),
        _base_of(told, base),
        proposed,
        str(head["protected"]),
        None if head["link"] is None else bytes_of(head["link"]),
        str(head["digest"]),
    )


def _edits_form(edits: KeptEdits) -> tuple[dict[str, Any], list[bytes]]:
    files = [[text_of(text.path), _base_form(text.base), text.protected, text_of(text.link)] for text in edits.texts]
    head = {"kind": "edits", "agent": edits.agent, "tab": edits.tab, "files": files, "told": list(edits.told)}
    return head, [part for text in edits.texts for part in _texts_form(text.proposed, text.base)]


def _edits_of(head: Mapping[str, Any], parts: list[bytes]) -> KeptEdits:
    contents = iter([part.decode("utf-8", "surrogatepass") for part in parts])
    texts = []
    for path, told, protected, link in head["files"]:
        proposed = next(contents)
        base = _base_of(told, [] if told is None else [next(contents)])
        texts.append(KeptText(bytes_of(path), base, proposed, str(protected), None if link is None else bytes_of(link)))
    return KeptEdits(
        str(head["id"]),
        str(head["by"]),
        float(head["since"]),
        float(head["expires"]),
        str(head["agent"]),
        str(head["tab"]),
        tuple(texts),
        tuple(map(str, head["told"])),
        str(head["digest"]),
    )


def _base_form(base: FileText | None) -> list[object] | None:
    return None if base is None else [base.format.encoding, base.format.bom, base.format.eol, base.digest]


def _base_of(told: list[Any] | None, text: list[str]) -> FileText | None:
    return None if told is None else FileText(text[0], TextFormat(*told[:3]), str(told[3]))


def _texts_form(proposed: str, base: FileText | None) -> list[bytes]:
    texts = [proposed] if base is None else [proposed, base.text]
    return [text.encode("utf-8", "surrogatepass") for text in texts]


def _texts(paths: tuple[bytes, ...]) -> list[str | None]:
    return [text_of(path) for path in paths]


def _paths(texts: list[str]) -> tuple[bytes, ...]:
    return tuple(bytes_of(text) for text in texts)
