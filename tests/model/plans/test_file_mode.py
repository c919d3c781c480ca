"""Permissions as people write them: what `chmod` makes of a text is what we make of it."""

import os
import shutil
import stat
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.model.plans.file_mode import BadMode, ModeChange, letters_of

MODES = st.integers(0, 0o7777)
SYMBOLIC = st.lists(
    st.tuples(
        st.text("ugoa", max_size=3),
        st.lists(
            st.tuples(st.sampled_from("+-="), st.one_of(st.text("rwxXst", max_size=4), st.sampled_from("ugo"))),
            min_size=1,
            max_size=3,
        ),
    ),
    min_size=1,
    max_size=3,
).map(lambda parts: ",".join(who + "".join(sign + what for sign, what in changes) for who, changes in parts))
OCTAL = st.one_of(
    MODES.map(lambda mode: f"{mode:o}"), MODES.map(lambda mode: f"{mode:04o}"), MODES.map("{:05o}".format)
)


@pytest.mark.skipif(shutil.which("chmod") is None, reason="there is no chmod here")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(SYMBOLIC, OCTAL), mode=MODES, is_folder=st.booleans(), umask=st.sampled_from([0, 0o022, 0o077]))
def test_a_text_means_what_chmod_makes_of_it(tmp_path, text, mode, is_folder, umask):
    path = tmp_path / ("folder" if is_folder else "file")
    path.mkdir(exist_ok=True) if is_folder else path.touch()
    os.chmod(path, mode)
    if stat.S_IMODE(path.stat().st_mode) != mode:
        return  # a bit that this user may not set
    done = subprocess.run(["chmod", "--", text, path], umask=umask, capture_output=True, text=True)
    # It warns when the mask took something away, although it has done what it could.
    assert done.returncode == 0 or "new permissions are" in done.stderr, (text, done.stderr)
    assert ModeChange.of(text).on(mode, is_folder=is_folder, umask=umask) == stat.S_IMODE(path.stat().st_mode), text


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("644", 0o755, 0o644),
        ("0755", 0o600, 0o755),
        ("u+x,go-w", 0o666, 0o744),
        ("a=rX", 0o700, 0o555),
        ("a=rX", 0o600, 0o444),
        ("+x", 0o644, 0o755),
        ("g=u", 0o740, 0o770),
        ("u+s", 0o755, 0o4755),
        ("+", 0o640, 0o640),
    ],
)
def test_what_people_write(text, before, after):
    assert ModeChange.of(text).on(before, is_folder=False) == after


def test_a_folder_keeps_its_set_group_id_unless_that_is_written_out():
    assert ModeChange.of("755").on(0o2700, is_folder=True) == 0o2755
    assert ModeChange.of("00755").on(0o2700, is_folder=True) == 0o755
    assert ModeChange.of("g-s").on(0o2700, is_folder=True) == 0o700
    assert ModeChange.of("755").on(0o2700, is_folder=False) == 0o755


@pytest.mark.parametrize(
    "text", ["", "8", "99999", "77777", "x", "u", "u+", "q+x", "u+x,", "u+q", "+755", "-rwx r", "rwxr-xr-x"]
)
def test_what_means_nothing_is_refused(text):
    if text in ("u+",):
        assert ModeChange.of(text).on(0o640, is_folder=False) == 0o640
        return
    with pytest.raises(BadMode, match="is no mode"):
        ModeChange.of(text)


def test_permissions_are_told_as_ls_tells_them():
    assert letters_of(0o4755) == "rwsr-xr-x"
    assert letters_of(0o1777) == "rwxrwxrwt"
