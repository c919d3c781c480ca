"""What agents read by address: a set and a scan are found there like a job or a proposal."""

import re

import yaml


def test_a_set_is_a_resource_with_a_few_of_its_members(inside, tree):
    found = re.search(r"set: (s_\w+)", inside.call("query_run", root=str(tree.left), kind="file"))[1]
    told = yaml.safe_load(inside.read(f"cmdr://sets/{found}"))
    assert told["selectionId"] == found
    assert told["counts"] >= len(told["sample"]) > 0


def test_a_scan_is_a_job_like_any_other(inside, tree):
    job = re.search(r"jobId: (\S+)", inside.call("index", root=str(tree.left)))[1]
    inside.call("await", job=job)
    told = yaml.safe_load(inside.read(f"cmdr://jobs/{job}"))
    assert (told["state"], told["entries"] > 0) == ("done", True)
