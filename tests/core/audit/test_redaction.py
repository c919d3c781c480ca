"""What the owner reads of a call: what it was about, and nothing that is a secret or the contents of a file."""

import json

import pytest

from cmdr.core.audit.chain import read_log, verify
from cmdr.core.audit.log import Audit, AuditRecord
from cmdr.core.audit.redaction import MAX_CHARACTERS, redacted

SECRET = "hunter2hunter2"


def test_what_a_call_was_about_is_told_and_no_arguments_are_nothing():
    asked = {"root": "/srv/photos", "ext": ["jpg"], "minSize": 1000, "all": True, "set": None}
    assert json.loads(redacted(asked)) == asked
    assert redacted({}) == ""


@pytest.mark.parametrize(
    "arguments",
    [
        {"token": SECRET},
        {"CMDR_TOKEN": SECRET},
        {"env": {"DB_PASSWORD": SECRET, "list": [{"api_key": SECRET}]}},
        {"word": SECRET},
        {"command": f"curl -H 'Authorization: Bearer {SECRET}' x"},
        {"command": f"PGPASSWORD={SECRET} psql"},
        {"command": f"login --password {SECRET}"},
        {"path": f"https://user:{SECRET}@host/x"},
        {"query": f"ghp_{SECRET}"},
        {"query": f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}"},
        {"contents": f"text {SECRET}"},
        {"edits": [{"old": SECRET, "new": SECRET}]},
        {"new_file_contents": SECRET},
        {"code": SECRET},
        {"a": {"b": {"c": {"d": {"e": SECRET}}}}},
        {f"token={SECRET}": 1},
    ],
    ids=lambda arguments: next(iter(arguments))[:12],
)
def test_secrets_and_contents_are_left_out(arguments):
    assert SECRET not in redacted(arguments)


def test_a_record_is_never_long():
    for many in ({"paths": ["/x" * 500] * 500}, {f"p{number}": "y" * 500 for number in range(50)}, {"q": object()}):
        assert len(redacted(many)) <= MAX_CHARACTERS + 200


def test_the_chain_holds_with_arguments_and_with_records_from_before(tmp_path):
    audit = Audit(str(tmp_path))
    audit.record(AuditRecord("agent:one", "cd", "digest", "ok"))
    audit.record(AuditRecord("agent:one", "cd", "digest", "ok", given=redacted({"path": '/a "b" \u00e9'})))
    audit.close()
    before, after = read_log(str(tmp_path))
    assert "given" not in before
    assert json.loads(after["given"]) == {"path": '/a "b" \u00e9'}
    assert verify(str(tmp_path)).broken_at is None
    log = tmp_path / "audit.jsonl"
    log.write_text(log.read_text().replace("/a ", "/c "))
    assert verify(str(tmp_path)).broken_at == 2


@pytest.mark.parametrize("hostile", ["a-" * 500_000, "token" * 200_000, "A1" * 500_000, "-_" * 500_000, "x:" * 500_000])
def test_looking_for_secrets_in_a_long_text_takes_no_time(hostile):
    # It took minutes on the loop that everybody waits for.
    assert len(redacted({"path": hostile})) < 300


def test_a_secret_that_begins_where_the_text_is_cut_is_left_out():
    for room in range(180, 200):
        assert SECRET[:12] not in redacted({"path": "y " * (room // 2) + f"token={SECRET}"})
