"""What results look like over HTTP: unknown is null, and numbers are rounded where more would be noise."""

from cmdr.model.job import Job, JobState, Progress, ScanJob
from cmdr.model.results.indexes import SessionShown
from cmdr.model.results.jobs import OperationStatus, ScanStatus
from cmdr.web.api import trees
from cmdr.web.api.links import Links

HERE = Links("http://127.0.0.1:1")


def test_a_scan_tells_rounded_numbers_and_null_for_what_nobody_knows():
    scan = ScanJob("j_1", b"/srv", "i_1", "person", started=1_700_000_000.5, entries=7, rate=99.6)
    told = trees.job(ScanStatus.of(scan), HERE)
    assert told["statusUrl"] == "http://127.0.0.1:1/api/jobs/j_1"
    assert (told["kind"], told["status"], told["problem"]) == ("index", "running", None)
    assert (told["progress"]["rate"], told["progress"]["percent"], told["progress"]["etaSeconds"]) == (100, None, None)
    scan.percent, scan.seconds = 33.333, 10.0
    progress = trees.job(ScanStatus.of(scan), HERE)["progress"]
    assert (progress["percent"], progress["etaSeconds"]) == (33.3, 20)


def test_an_operation_tells_its_title_and_problems_and_when_it_will_be_done():
    job = Job("j_2", "Copy 2 files", "agent:x", frozenset(), JobState.RUNNING, Progress(1, 2, 100, 300, "", 50.0))
    told = trees.job(OperationStatus.of(job), HERE)
    assert (told["kind"], told["title"], told["outcome"], told["problems"]) == ("operation", "Copy 2 files", None, [])
    assert told["progress"] == {"items": 1, "itemsTotal": 2, "bytes": 100, "bytesTotal": 300, "etaSeconds": 4}


def test_the_breadcrumb_of_a_session_begins_at_the_root_and_odd_names_are_escaped():
    told = trees.session(SessionShown("sh_1", b"/srv/caf\xe9", None, "bytes", 20), HERE)
    assert (told["breadcrumb"], told["indexId"]) == (["/", "srv", "caf\\xe9"], None)
    assert trees.session(SessionShown("sh_1", b"/", None, "bytes", 20), HERE)["breadcrumb"] == ["/"]
