"""A diff as a unified patch that `git apply` and `patch` take."""

from collections.abc import Iterator

from cmdr.model.texts.diff import Diff, Hunk

_NO_NEWLINE = "\\ No newline at end of file\n"


def patch_text(diff: Diff, old_name: str, new_name: str, *, context: int = 3) -> str:
    """The unified patch, empty when nothing differs; `/dev/null` names a side that does not exist."""
    if not diff.hunks:
        return ""
    out = [f"--- {_name(old_name)}\n", f"+++ {_name(new_name)}\n"]
    for group in _groups(diff.hunks, context):
        out += _group_lines(diff, group, context)
    return "".join(out)


def _name(name: str) -> str:
    """A name as git writes it: quoted where it could end the line or the name, and told apart from a date by a tab."""
    if any(char in '"\\' or char < " " or char == "\x7f" for char in name):
        escaped = "".join(
            f"\\{char}" if char in '"\\' else f"\\{ord(char):03o}" if char < " " or char == "\x7f" else char
            for char in name
        )
        return f'"{escaped}"'
    return f"{name}\t" if " " in name else name


def _groups(hunks: tuple[Hunk, ...], context: int) -> Iterator[list[Hunk]]:
    """Hunks whose contexts would touch, together."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _group_lines(diff: Diff, group: list[Hunk], context: int) -> Iterator[str]:
    lead = min(context, group[0].old_start)
    old_from, new_from = group[0].old_start - lead, group[0].new_start - lead
    trail = min(context, len(diff.old_lines) - group[-1].old_end)
    old_to, new_to = group[-1].old_end + trail, group[-1].new_end + trail
    yield f"@@ -{_range(old_from, old_to)} +{_range(new_from, new_to)} @@\n"
    at = old_from
    for hunk in group:
        yield from _signed(" ", diff.old_lines[at : hunk.old_start])
        yield from _signed("-", diff.old_lines[hunk.old_start : hunk.old_end])
        yield from _signed("+", diff.new_lines[hunk.new_start : hunk.new_end])
        at = hunk.old_end
    yield from _signed(" ", diff.old_lines[at:old_to])


def _signed(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line if line.endswith("\n") else f"{sign}{line}\n{_NO_NEWLINE}"


def _range(start: int, end: int) -> str:
    """Line numbers from 1; an empty range names the line before it."""
    size = end - start
    first = start + 1 if size else start
    return str(first) if size == 1 else f"{first},{size}"
