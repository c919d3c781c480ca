"""What is typed after `cmdr`: a verb, folders, or a slip of the finger."""

import pytest

from cmdr.cli.main import run


@pytest.fixture
def said(capsys):
    def refused(*words):
        with pytest.raises(SystemExit) as ended:
            run(list(words), None)
        assert ended.value.code == 2
        return capsys.readouterr().err

    return refused


def test_a_verb_with_a_slip_is_not_taken_for_a_folder(said):
    assert "Did you mean pending?" in said("pendin")


def test_a_word_that_is_no_verb_is_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendin").mkdir()
    assert run(["pendin"], None) == 2
    assert run(["photos"], None) == 2
    assert capsys.readouterr().err.count("This is not a terminal.") == 2


@pytest.mark.parametrize("words", [("serve", "--port", "99999"), ("serve", "--port", "http")])
def test_a_port_that_cannot_be_is_told_as_such(said, words):
    assert "is no port" in said(*words)


def test_a_token_does_not_end_before_it_begins(said):
    assert "is no time" in said("token", "--client", "a", "--for", "0h")
