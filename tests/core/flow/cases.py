"""Changes as every face carries them out: what was selected, what is asked and answered, what is left and said.

The tree is the same for all: `readme.md`, `file1.txt` and `file2.txt` at the left, `file1.txt` at the right too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FlowCase:
    """One change. Paths in the arguments begin with `left/` or `right/`."""

    name: str
    command: str
    arguments: Mapping[str, object]
    selected: tuple[str, ...] = ("readme.md",)
    acts_on_selection: bool = True
    sure: bool = True
    then: str = ""
    answer: str = ""
    """What the person answers when they are asked: `y`, `n`, or nothing where they are not asked."""
    question: str = ""
    """The key that answers the question of the job."""
    lost: str = ""
    """A file at the left that vanishes between the plan and the yes."""
    said: str = ""
    is_bad: bool = False
    left_selected: tuple[str, ...] = ()
    cursor: str = ""
    arrived: Mapping[str, str] = field(default_factory=dict)
    """What files hold in the end; an empty text for one that is gone."""


CASES = [
    FlowCase(
        "a new folder gets the cursor and leaves the selection",
        "mkdir", {"name": "new"}, acts_on_selection=False, then="new",
        said="mkdir done", left_selected=("readme.md",), cursor="new",
    ),
    FlowCase(
        "what was copied is let go",
        "copy", {"to": "right/"}, said="copy done: 1 file", arrived={"right/readme.md": "read me"},
    ),
    FlowCase(
        "a taken name is asked about by the job",
        "copy", {"to": "right/", "onConflict": "ask"}, selected=("file1.txt",), question="r", said="copy done: 1 file",
        arrived={"right/file1.txt": "other", "right/file1 (1).txt": "one"},
    ),
    FlowCase(
        "what overwrites is asked about though they were sure, and a no leaves all as it was",
        "copy", {"to": "right/", "onConflict": "overwrite"}, selected=("file1.txt",), answer="n",
        said="Nothing was changed.", left_selected=("file1.txt",), arrived={"right/file1.txt": "other"},
    ),
    FlowCase(
        "what overwrites is done after a yes",
        "copy", {"to": "right/", "onConflict": "overwrite"}, selected=("file1.txt",), answer="y",
        said="copy done: 1 file", arrived={"right/file1.txt": "one"},
    ),
    FlowCase(
        "who was not sure is asked",
        "delete", {}, sure=False, answer="y", said="trash done: 1 file", arrived={"left/readme.md": ""},
    ),
    FlowCase(
        "a no to the trash",
        "delete", {}, sure=False, answer="n", said="Nothing was changed.", left_selected=("readme.md",),
        arrived={"left/readme.md": "read me"},
    ),
    FlowCase(
        "after half a failure only what is left of what failed stays selected",
        "copy", {"to": "right/"}, selected=("readme.md", "file2.txt"), sure=False, answer="y", lost="file2.txt",
        said="1 changed meanwhile and left alone", is_bad=True,
        arrived={"right/readme.md": "read me"},
    ),
    FlowCase(
        "the cursor follows a new name",
        "rename", {"path": "left/readme.md", "newName": "words.md"}, acts_on_selection=False, selected=(),
        then="words.md", said="rename done", cursor="words.md", arrived={"left/readme.md": ""},
    ),
]  # fmt: skip


def arguments_in(case: FlowCase, left: object, right: object) -> dict[str, object]:
    """The arguments of a case with the paths of its tree."""
    roots = {"left": left, "right": right}

    def placed(value: object) -> object:
        side, slash, rest = str(value).partition("/")
        return f"{roots[side]}/{rest}" if slash and side in roots else value

    return {name: placed(value) for name, value in case.arguments.items()}


def plant(left, right) -> None:
    """Make the tree of the cases in two empty folders."""
    for path, text in ((left / "readme.md", "read me"), (left / "file1.txt", "one"), (left / "file2.txt", "two"),
                       (right / "file1.txt", "other")):  # fmt: skip
        path.write_text(text)


def check_files(case: FlowCase, left, right) -> None:
    """The files are as the case says."""
    for place, text in case.arrived.items():
        side, _, name = place.partition("/")
        path = (left if side == "left" else right) / name
        assert (path.read_text() if path.exists() else "") == text, place
