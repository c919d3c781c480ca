"""The JSON of results is a contract with the page, the control socket and scripts: kinds and keys never change."""

import dataclasses
import typing

import pytest
from tests.model.results.test_result import all_results

from cmdr.model.job import JobState
from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.results.changes import Proposed
from cmdr.model.results.folders import FolderGlance
from cmdr.model.results.result import Result, _keys
from cmdr.model.results.trees import FindAnswer, ScanEnded, ScanProgress

_SCAN = "job state isCancelled counts entries folders bytes seconds percent problem index url headline"
# A key may be added here with the field that it tells. One that is changed or taken away breaks programs of others.
KINDS = {
    "opened": "dialog type path what isSeen",
    "saved": "path digest",
    "agentAccess": "toolsets switches roots warnings",
    "proposed": "proposal digest verb title amount overwrites questions skipped isRisky note fromPane byRule",
    "approved": "proposal job notYet",
    "resumed": "operation job",
    "historyEntries": "entries",
    "historyBeginning": "sentences",
    "indexList": "indexes",
    "indexShown": "index",
    "contentsShown": "root isIndexed files textBytes indexBytes seconds troubles",
    "nodeShown": "index node owner target",
    "nodeDetail": "index node owner target attributes preview digest",
    "treePage": "index parent total entries cursor limit sort order behind",
    "reportPage": "index report limit below set since keep epochs",
    "sessionShown": "session cwd index units limit",
    "stillWaiting": "what behind",
    "stateMoved": "rev",
    "proposalEnded": "proposal state title said",
    "jobEnded": "job state outcome problems operation canUndo output named",
    "jobFollowed": "state over done outcome operation question waitsBehind",
    "operationStatus": "job title state itemsDone itemsTotal bytesDone bytesTotal secondsLeft outcome problems",
    "scanStatus": "job index state started entries folders bytes rate percent secondsLeft problem",
    "notAnsweredYet": "proposal",
    "runEnded": "job state outcome output",
    "inbox": "rows more",
    "inboxAnswered": "answered jobs failures rule said",
    "proposalShown": "state by digest word plan steps reason job",
    "proposalItems": "digest start total lines",
    "editProposed": "review files places told",
    "reviewShown": "by title digest word protected care path replaces amount patch",
    "rules": "rows settings trouble",
    "ruleOffer": "proposal today always client verbs roots files bytes operations",
    "ruleChanged": "rule words said",
    "said": "words",
    "plainText": "words",
    "setList": "sets total cursor limit",
    "setCard": "set",
    "setShown": "set sample url",
    "setEntries": "set index total members cursor limit",
    "queryList": "queries total cursor limit",
    "queryCard": "query",
    "queryShown": "query explanation",
    "queryRan": "query set directions behind",
    "forgotten": "id",
    "scanStarted": "root job index url",
    "scanProgress": _SCAN,
    "scanEnded": _SCAN,
    "queryAnswer": "root count bytes kinds hits set url units behind indexedNow notCovered hints savedAs index "
    "directions",
    "findAnswer": "count bytes complete behind rows directions note",
    "contentAnswer": "root count lines files set cursor behind indexedNow notCovered isPartial offer hints savedAs "
    "directions",
    "contentLines": "files cursor",
    "folderGlance": "cwd breadcrumb sessionId indexId headline entries after nextPageUrl",
    "folderPage": "path total entries nextPageUrl",
    "agents": "isStopped since rows isCut",
    "undoOffer": "operations clients items since words what",
    "undoBegun": "job operations words",
    "filesRead": "files leftOut",
    "linesCounted": "files total counted leftOut",
}
PARTS = {
    "FileText": "name text firstLine lines start end isWhole hasMore encoding mtime about problem",
    "LineCount": "name lines problem",
    "HistoryRow": "operation when verb first newName items done to state by undoneBy left failed rule",
    "IndexInfo": "id root epoch scannedNs totals freshness problems rootNode options",
    "Totals": "files dirs bytes allocated newestNs complete state",
    "Freshness": "state reason checkedNs",
    "WalkOptions": "depthLimit followSymlinks crossFileSystems workers nice",
    "Node": "id path name kind size allocated mtimeNs ctimeNs mode owner inode hardlinked shared brokenLink children "
    "totals",
    "Report": "kind rows total complete notCovered note cursor sinceNs before after spareBytes behind",
    "ReportRow": "label count size node path timeNs before members change folder reason",
    "InboxRow": "id kind by what detail amount risk since expires digest reason word answers alike rule question",
    "InboxFailure": "id why",
    "RuleRow": "number client words verbs roots overwrites until files bytes operations filesLeft bytesLeft "
    "operationsLeft holds suspended problem line",
    "SetInfo": "id name indexId count bytes createdNs changedNs",
    "SetMember": "node path size mtimeNs state pathNow",
    "SavedQuery": "id owner name filter sort descending limit createdNs lastRunNs root",
    "Explanation": "normalForm steps rowsExamined rowsTotal complete notCovered",
    "ListedEntry": "nodeId name kind size files modifiedNs link",
    "FileLines": "path count lines",
    "ShownLine": "line text isMatch start end isCut",
    "Kinds": "files dirs others fileBytes",
    "AgentRow": "client isConnected lastCall calls doing waiting turns undoable rules operations",
    "AgentTurn": "id began ended operations count undoable",
    "AgentOperation": "operation at what state rule canUndo isUndone isPartial",
}


def tells_itself(kind):
    """Whether a result says itself what its JSON holds."""
    return any("data" in vars(one) for one in kind.__mro__ if one is not Result)


def test_kinds_and_keys_are_what_they_were():
    told = {one.kind: " ".join(key for _, key in _keys(one)) for one in all_results() if not tells_itself(one)}
    assert {kind: keys for kind, keys in KINDS.items() if kind in told} == told
    assert {one.kind for one in all_results()} == set(KINDS)


@pytest.mark.parametrize(
    "result",
    [
        Proposed("p_1", "Delete", Plan(Verb.TRASH, (), ())),
        ScanProgress("j_1", JobState.DONE, False, "", 0, 0, 0, 0.0, None, "", "i_1"),
        ScanEnded("j_1", JobState.DONE, False, "", 0, 0, 0, 0.0, None, "", "i_1"),
        FindAnswer(b"/", 0, 0, True, (), "binary"),
        FolderGlance(b"/", "sh_1", None, None, "", (), (), 0, None),
    ],
    ids=lambda result: result.kind,
)
def test_so_are_the_keys_of_results_that_say_them_themselves(result):
    assert " ".join(result.data()) == KINDS[result.kind]


def test_every_result_that_says_its_keys_itself_is_tried():
    assert {one.kind for one in all_results() if tells_itself(one)} == {
        "proposed",
        "scanProgress",
        "scanEnded",
        "findAnswer",
        "folderGlance",
    }


def test_what_results_are_made_of_keeps_its_keys():
    found = {}

    def look(hint):
        for one in (hint, *typing.get_args(hint)):
            if isinstance(one, type) and (dataclasses.is_dataclass(one) or hasattr(one, "_fields")):
                if one.__name__ not in found:
                    found[one.__name__] = " ".join(key for _, key in _keys(one))
                    for part in typing.get_type_hints(one).values():
                        look(part)
            elif one is not hint:
                look(one)

    for kind in all_results():
        if not tells_itself(kind):
            for hint in typing.get_type_hints(kind).values():
                look(hint)
    assert found == PARTS
