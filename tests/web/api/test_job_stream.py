"""A job followed over HTTP: every step, then the end."""

import json

import httpx2 as httpx

from cmdr.core.admission.limits import Concurrency
from cmdr.web.api import job_stream


def test_a_job_streams_its_steps_and_ends(server, contract, tree):
    answer = server.run("index", {"root": str(tree)})
    job = answer.split("jobId: ")[1].split()[0]
    url = f"http://127.0.0.1:{server.port}/api/jobs/{job}"
    with httpx.stream("GET", url, trust_env=False, headers={"accept": "text/event-stream"}, timeout=30) as stream:
        told = [line[6:] for line in stream.iter_lines() if line.startswith("data: ")]
    events = [json.loads(event) for event in told]
    for event in told:
        contract.check_event(event, "/api/jobs/{jobId}")
    assert events[-1]["status"] == "done"
    assert events[-1]["indexId"]


def test_whoever_has_followed_a_job_may_follow_the_next(serve, tree, monkeypatch):
    monkeypatch.setattr(job_stream, "JOB_STREAMS", Concurrency(per_caller=1))
    server = serve(tree)
    job = server.run("index", {"root": str(tree)}).split("jobId: ")[1].split()[0]
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=30) as client:
        for asked in (job, "j_nope", job):
            answer = client.get(f"/api/jobs/{asked}", headers={"accept": "text/event-stream"})
            assert answer.status_code == (404 if asked == "j_nope" else 200)
