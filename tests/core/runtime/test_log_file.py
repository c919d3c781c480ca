"""The log: one JSON object a line, private, rotating, and never with a secret in it."""

import json
import logging
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.runtime.log_file import LogLines, log_to, redacted

TOKEN = "cmdr_" + "aB3-_" * 9
SECRETS = [
    f"Authorization: Bearer {TOKEN}",
    f"authorization=Bearer {TOKEN}",
    f"{{'authorization': 'Bearer {TOKEN}', 'host': 'x'}}",
    f"[(b'authorization', b'Bearer {TOKEN}')]",
    "Cookie: cmdr-9224=verysecretcookie; other=alsosecret",
    "set-cookie: cmdr-9224=verysecretcookie; HttpOnly",
    "GET /login?code=verysecretcode HTTP/1.1",
    "http://127.0.0.1:9224/?x=1&code=verysecretcode#there",
    f"token={TOKEN}",
    f"the token is {TOKEN}.",
    "password: verysecretword",
    '{"api_key": "verysecretkey"}',
    "Bearer verysecrettoken",
    "bearer%20verysecrettoken",
]


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_taken_out(text):
    left = redacted(text)
    assert TOKEN not in left
    assert "verysecret" not in left
    assert "alsosecret" not in left
    assert "[removed]" in left


def test_ordinary_text_stays_as_it_is():
    for text in ("copy done: 3 files", "/home/a/tokens/list.txt", "fs_read failed", "code 3", "a cookie jar"):
        assert redacted(text) == text


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_token_is_found_whatever_stands_around_it(before, after):
    assert TOKEN not in redacted(f"{before} {TOKEN} {after}")


@pytest.fixture
def log(tmp_path):
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    path = log_to(str(tmp_path))
    yield path
    for handler in root.handlers:
        handler.close()
    root.handlers[:], root.level = handlers, level


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_each_line_is_a_record_of_its_own(log):
    logging.getLogger("cmdr.test").warning("hello %s\nsecond line", "there")
    (row,) = lines(log)
    assert (row["level"], row["from"], row["text"]) == ("warning", "cmdr.test", "hello there\nsecond line")


def test_arguments_and_tracebacks_are_cleaned_too(log):
    try:
        raise ValueError(f"Bearer {TOKEN}")
    except ValueError:
        logging.getLogger("cmdr.test").exception("failed with %s", TOKEN)
    with open(log, encoding="utf-8") as file:
        assert TOKEN not in file.read()
    (row,) = lines(log)
    assert "ValueError" in row["error"]


def test_only_we_can_read_the_log_and_it_stays_small(log, tmp_path):
    for _ in range(1500):
        logging.getLogger("cmdr.test").warning("x" * 12_000)
    files = sorted(os.listdir(tmp_path))
    assert files == ["cmdr.log", "cmdr.log.1", "cmdr.log.2", "cmdr.log.3"]
    for name in files:
        seen = os.stat(tmp_path / name)
        assert stat.S_IMODE(seen.st_mode) == 0o600
        assert seen.st_size <= 5 << 20


def test_a_link_in_the_logs_place_is_not_followed(tmp_path):
    (tmp_path / "cmdr.log").symlink_to(tmp_path / "elsewhere")
    handler = logging.getLogger().handlers[:]
    log_to(str(tmp_path))
    with pytest.raises(OSError, match=r"[Ss]ymbolic|[Ll]oop|links"):
        logging.getLogger().handlers[0]._open()
    logging.getLogger().handlers[:] = handler
    assert not (tmp_path / "elsewhere").exists()


def test_the_format_survives_odd_records():
    record = logging.LogRecord("n", logging.INFO, "p", 1, "%s", ("\udcff\x1b[2J\u2028",), None)
    assert json.loads(LogLines().format(record))["text"] == "\udcff\x1b[2J\u2028"
