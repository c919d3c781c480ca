"""Languages are named as language servers name them."""

import pytest

from cmdr.editor.languages import language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        (b"/w/main.py", "python"),
        (b"/w/A.TSX", "typescriptreact"),
        (b"/w/Makefile", "makefile"),
        (b"/w/Dockerfile.dev", "dockerfile"),
        (b"/w/.gitignore", "ignore"),
        (b"/w/conf.yml", "yaml"),
        (b"/w/x.h", "c"),
        (b"/w/bad\xff.rs", "rust"),
        (b"/w/README", "plaintext"),
        (b"/w/py", "plaintext"),
        (b"/w/tsconfig.json", "jsonc"),
    ],
)
def test_a_name_tells_the_language(path, language):
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/bin/sh", "shellscript"),
        ("#!/usr/bin/env -S python3.12 -u", "python"),
        ("#!/usr/bin/env FOO=1 node", "javascript"),
        ("#!", "plaintext"),
        ("#!/usr/bin/env", "plaintext"),
        ("import os", "plaintext"),
    ],
)
def test_a_script_without_an_ending_is_known_by_its_first_line(line, language):
    assert language_of(b"/bin/tool", line) == language
