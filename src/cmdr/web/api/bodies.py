"""What each route answers, as types: `openapi.py` writes the schemas from them. Unknown is null, never 0.

A docstring is the description in the OpenAPI document; a key that is not always there is `NotRequired`.
"""

from typing import Literal, NotRequired, TypedDict

from cmdr.model.job import JobState
from cmdr.model.shell_session import Units
from cmdr.model.trees.indexes import State
from cmdr.model.trees.sets import Member as Member
from cmdr.model.trees.sets import ResourceSet as ResourceSet


class Session(TypedDict):
    """A session: where it stands, and in which index."""

    sessionId: str
    cwd: str
    indexId: str | None
    breadcrumb: list[str]
    units: Units
    limit: int


class Counts(TypedDict):
    """What lies below a folder; lower bounds unless complete. Of one that was not listed only `state` is known."""

    files: int | None
    dirs: int | None
    bytes: int | None
    allocated: int | None
    complete: bool
    state: NotRequired[str]


class Index(TypedDict):
    """An index at a glance."""

    indexId: str
    root: str
    epoch: int | None
    scannedAt: str | None
    counts: Counts | None
    state: State
    reason: str
    problems: int
    rootNodeId: str | None
    link: str
    tree: str
    reports: str


class Indexes(TypedDict):
    """Every index."""

    indexes: list[Index]


class Entry(TypedDict):
    """An entry in a listing; a folder's size is all that is below it."""

    nodeId: str
    name: str
    kind: str
    size: int | None
    counts: Counts | None
    modifiedAt: str | None
    link: str


class NodeFacts(Entry):
    """What is known of every entry."""

    path: str
    allocated: int | None
    permissions: str | None
    owner: str | None
    changedAt: str | None
    inode: int | None
    hardlinked: bool
    shared: bool
    brokenLink: bool
    children: int | None
    detail: str


class Node(NodeFacts):
    """An entry: its metadata, and links to what is in it."""

    tree: NotRequired[str]
    reports: NotRequired[str]
    download: NotRequired[str]
    symlink: NotRequired[str | None]


class NodeDetail(Node):
    """An entry, and of its contents what the caller may read."""

    attributes: NotRequired[dict[str, str]]
    preview: NotRequired[str | None]
    digest: NotRequired[str | None]


class Place(Node):
    """The entry at a path, and the index that knows it."""

    indexId: str


class Tree(TypedDict):
    """Some children of a folder; the total is null for one that could not be listed. All is true as of the request
    when `behind` is 0; else so many folders are not known as they are."""

    total: int | None
    behind: int
    entries: list[Entry]
    nextPageUrl: str | None


class ReportRow(TypedDict):
    """One line of a report; one about growth tells the change and the kind of the entry."""

    label: str
    nodeId: str | None
    path: str | None
    count: int | None
    size: int | None
    sizeBefore: int | None
    modifiedAt: str | None
    members: list[str]
    link: str | None
    change: NotRequired[str]
    kind: NotRequired[Literal["dir", "file"]]


class ReportHead(TypedDict):
    """What a report covers; `behind` is how many folders are not known as they are."""

    kind: str
    total: int
    complete: bool
    notCovered: list[str]
    note: str | None
    behind: int
    since: NotRequired[str | None]
    sizeBefore: NotRequired[int | None]
    size: NotRequired[int | None]
    wasted: NotRequired[int]


class Report(ReportHead):
    """Some lines of a report."""

    rows: list[ReportRow]
    nextPageUrl: str | None


class ReportExplained(ReportHead):
    """What a report covers, and the epochs that growth can be measured from."""

    epochs: list[int]


class ScanProgress(TypedDict):
    """How far a scan is; a percentage is known only when an earlier scan told what to expect."""

    entries: int
    dirs: int
    bytes: int
    rate: int
    percent: float | None
    etaSeconds: int | None


class Scan(TypedDict):
    """A tree being read."""

    jobId: str
    kind: Literal["index"]
    status: JobState
    startedAt: str
    progress: ScanProgress
    indexId: str
    problem: str | None
    statusUrl: str


class OperationProgress(TypedDict):
    """How far a change to files is."""

    items: int
    itemsTotal: int
    bytes: int
    bytesTotal: int
    etaSeconds: int | None


class Operation(TypedDict):
    """A change to files under way, or over."""

    jobId: str
    kind: Literal["operation"]
    status: JobState
    title: str
    progress: OperationProgress
    outcome: str | None
    problems: list[str]
    statusUrl: str


class ResourceSets(TypedDict):
    """The caller's sets."""

    sets: list[ResourceSet]


class ResourceSetSample(ResourceSet):
    """A set, with a few of its members."""

    sample: list[Member]


class Members(TypedDict):
    """Some members of a set."""

    total: int
    entries: list[Member]
    nextPageUrl: str | None


class SavedQuery(TypedDict):
    """A saved query as a card."""

    queryId: str
    name: str
    filterSummary: str
    root: str | None
    lastExecutedAt: str | None
    link: str
    runUrl: str


class SavedQueries(TypedDict):
    """The caller's saved queries."""

    queries: list[SavedQuery]


class Explanation(TypedDict):
    """How a filter is evaluated."""

    normalForm: str
    steps: list[str]
    rowsExamined: int
    rowsTotal: int
    complete: bool
    notCovered: list[str]


class SavedQueryFilter(SavedQuery):
    """A saved query with its filter."""

    filter: dict[str, object]


class SavedQueryExplained(SavedQueryFilter):
    """A saved query with its filter, and how that is evaluated."""

    explain: Explanation


class QueryRun(ResourceSet):
    """What a saved query found, as a set.

    `directions` says in words what it asked of times, `behind` how many folders were not known as they are.
    """

    queryId: str
    directions: str
    behind: int


class Deleted(TypedDict):
    """The id of what is no more."""

    deleted: str


class Error(TypedDict):
    """What went wrong, and what to do."""

    error: str
