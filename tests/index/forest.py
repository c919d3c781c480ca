"""Names that are hard to compare, any filter over them, and an evaluator that looks at each entry in turn."""

import os
import random

from hypothesis import strategies as st

from cmdr.index.query.globs import parse_glob
from cmdr.index.query.leaves import match_paths
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.names import MAX_EXTENSION_BYTES, extension
from cmdr.model.filters import filter as f
from cmdr.model.names import from_wire
from cmdr.model.units import time_ns

NOW = 1_800_000_000 * 10**9
WORDS = ["report", "Report", "img_1", "a", "é", "E\u0301", "straße", "STRASSE", "İx", "x y", "tar", "[z]", "*"]


def plant(root):
    """Fill a folder."""
    chance = random.Random(7)
    folders = [root]
    for number in range(40):
        path = chance.choice(folders) + b"/" + chance.choice(WORDS).encode() + b"%d" % number
        os.mkdir(path)
        folders.append(path)
    for number in range(400):
        name = chance.choice(WORDS).encode() + chance.choice([b"", b"%d" % number, b"\xff%d" % number])
        name += chance.choice([b"", b".py", b".PY", b".tar.gz", b".properties", b".x"])
        path = chance.choice(folders) + b"/" + name
        kind = chance.random()
        try:
            if kind < 0.05:
                os.symlink(b"nowhere", path)
            else:
                fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, chance.choice([0o644, 0o755, 0o600]))
                os.truncate(fd, chance.choice([0, 1, 100, 5000, 70_000]))
                os.close(fd)
                when = NOW - chance.randrange(0, 10**9) * 10**9
                os.utime(path, ns=(when, when))
                if kind > 0.95:
                    os.link(path, chance.choice(folders) + b"/linked%d" % number)
        except FileExistsError:
            continue


def naive(wanted: f.Filter, node, root: bytes) -> bool:
    match wanted:
        case f.And(items):
            return all(naive(item, node, root) for item in items)
        case f.Or(items):
            return any(naive(item, node, root) for item in items)
        case f.Not(item):
            return not naive(item, node, root)
        case f.Text(field, "regex"):
            return match_paths(f.Text("path", "regex", wanted.value, wanted.case), [getattr(node, field)])[0]
        case f.Text(field, op, value, case):
            have, want = getattr(node, field), from_wire(value)
            if not case:
                have, want = fold(have), fold(want)
            if op == "glob":
                return parse_glob(want).verifier().match(have) is not None
            return want in have if op == "contains" else want == have
        case f.Ext(values):
            if node.kind != "file":
                return False
            wanted_exts = [fold(from_wire(one)) for one in values]
            longer = [one for one in wanted_exts if len(one) > MAX_EXTENSION_BYTES or b"." in one]
            ends = any(fold(node.name).endswith(b"." + one) and len(fold(node.name)) > len(one) + 1 for one in longer)
            return ends or (extension(node.name) in wanted_exts and extension(node.name) != b"")
        case f.KindIs(values):
            return node.kind in values
        case f.Number("depth", least, most):
            depth = node.path[len(root) :].count(b"/")
            return (least is None or depth >= least) and (most is None or depth <= most)
        case f.Number(field, least, most):
            facts = os.lstat(node.path)
            have = facts.st_size if field == "size" else facts.st_blocks * 512
            return (least is None or have >= least) and (most is None or have <= most)
        case f.Time(field, after, before):
            have = node.mtime_ns if field == "mtime" else node.ctime_ns
            late = after is None or have >= time_ns(after, NOW)
            return late and (before is None or have < time_ns(before, NOW))
        case f.Under(place):
            return node.path.startswith(from_wire(place) + b"/")
        case f.Mode(bits):
            return node.mode & bits == bits & 0o7777
        case f.Owner(values):
            return str(node.owner) in values or (node.owner == 0 and "root" in values)
        case f.Is("empty"):
            return (node.kind == "file" and node.size == 0) or (node.kind == "dir" and node.children == 0)
        case f.Is("brokenLink"):
            return node.broken_link
        case f.Is(_):
            return node.hardlinked
    raise TypeError(wanted)


texts = st.sampled_from([*WORDS, ".py", "STRASSE", "é", "re", "\\xff", "1", "e", "po", "zz"])
globs = st.sampled_from(
    [
        "*.py",
        "*",
        "?*",
        "rep*1*",
        "*é*",
        "[a-r]*",
        "[!a-r]*",
        "*.tar.*",
        "*stra*e*",
        "\\xff?*",
        "?",
        "??",
        "*??",
        "?*?*",
        "é?*",
        "*[0-9]",
        "*\\xff?.py",
        "[]*",
    ]
)
regexes = st.sampled_from(
    [
        *[
            "rep.*\\d$",
            "^a",
            "\\.py$",
            "(a+)+$",
            "é|ß",
            "[0-9]{2}",
            "tar|img",
            "straße1",
            "E\\d",
            "report\\d+\\.py",
            "e1",
        ],
        *[
            "\\w\\W",
            "^\\w+$",
            "\\s",
            "^.{3,5}$",
            "[[:digit:]]$",
            "[^\\w.]",
            "(?-i)STRA",
            "[\\d*]",
            "\\D\\S$",
            "\\u{df}",
        ],
    ]
)
cases = st.booleans()
leaves = st.one_of(
    st.builds(f.Text, st.sampled_from(["name", "path"]), st.sampled_from(["contains", "exact"]), texts, cases),
    st.builds(f.Text, st.sampled_from(["name", "path"]), st.just("glob"), globs, cases),
    st.builds(f.Text, st.sampled_from(["name", "path"]), st.just("regex"), regexes, cases),
    st.builds(
        f.Ext, st.lists(st.sampled_from(["py", "gz", "properties", "x", "tar.gz", "nope"]), min_size=1).map(tuple)
    ),
    st.builds(f.KindIs, st.lists(st.sampled_from(["file", "dir", "link"]), min_size=1).map(tuple)),
    st.builds(f.Number, st.sampled_from(["size", "depth", "allocated"]), st.sampled_from([0, 1, 2, 4, 100]), st.none()),
    st.builds(f.Number, st.sampled_from(["size", "depth"]), st.none(), st.sampled_from([0, 3, 99, 5000])),
    st.builds(f.Time, st.just("mtime"), st.sampled_from(["1000d", "5000d", "2020-01-01"]), st.none()),
    st.builds(f.Time, st.just("mtime"), st.none(), st.sampled_from(["30d", "2015-06-01T12:00"])),
    st.builds(f.Mode, st.sampled_from([0o111, 0o044, 0o001])),
    st.builds(f.Owner, st.sampled_from([("0",), ("root", "7"), ("nobody-has-this",)])),
    st.builds(f.Is, st.sampled_from(["empty", "brokenLink", "hardlinked"])),
)
filters = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(f.Not, inner),
        st.builds(f.And, st.lists(inner, max_size=4).map(tuple)),
        st.builds(f.Or, st.lists(inner, max_size=4).map(tuple)),
    ),
    max_leaves=8,
)
