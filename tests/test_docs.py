"""The documentation is true: generated pages are current, and every variable, verb and filter is documented."""

import argparse
import json
import re
import runpy
import tomllib
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from cmdr.cli import bridge_endpoint, main
from cmdr.core.environment import Environment
from cmdr.model.filters.filter_json import KNOWN, from_json, to_json
from cmdr.model.filters.filter_text import from_text

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN_FILES = r"\]\(https://(?:github\.com/cmdr-fm/cmdr/blob|raw\.githubusercontent\.com/cmdr-fm/cmdr)/main/([^)#]+)"


def text_of(*pages):
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def shown_in(page):
    """What a page shows as code: between backticks, or as a block of its own."""
    text = text_of(page)
    return [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^ {4,}(\S.*)$", text, re.MULTILINE)]


@pytest.fixture
def verbs():
    """The parsers of all verbs, by their word."""
    found = argparse.ArgumentParser().add_subparsers()
    for module in main._VERBS:
        import_module(f"cmdr.cli.verbs.{module}").add(found)
    return found.choices


def test_generated_pages_are_what_the_registry_says():
    pages = runpy.run_path(str(ROOT / "tools" / "docs.py"))["PAGES"]
    for name, page in pages.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page(), f"docs/{name} is old: run make docs"


def test_the_page_about_agents_names_every_variable_that_is_read():
    source = (ROOT / "src/cmdr/core/environment.py").read_text()
    page = text_of(ROOT / "docs" / "agents.md")
    for variable in {*re.findall(r"CMDR_[A-Z_]+", source), bridge_endpoint.TOKEN_VARIABLE}:
        assert f"`{variable}`" in page
    assert len(fields(Environment)) >= 5


def test_every_verb_is_told_of(verbs):
    told = text_of(*PAGES)
    for verb in verbs:
        assert re.search(rf"\bcmdr {verb}\b", told), f"cmdr {verb} is documented nowhere"


def test_every_verb_that_is_told_of_is_there_with_the_options_it_is_shown_with(verbs):
    for page in PAGES:
        shown = "\n".join(shown_in(page))
        for verb, rest in re.findall(r"(?:^|\$ ?\(?)cmdr ([a-z]+)((?: [^\n)#]*)?)", shown, re.MULTILINE):
            assert verb in verbs, f"{page.name} shows cmdr {verb}"
            known = verbs[verb]._option_string_actions
            for option in re.findall(r"(?<= )--[a-z-]+", rest) if verb != "claude" else ():
                assert option in known, f"{page.name} shows cmdr {verb} {option}"


def test_every_target_of_make_that_is_told_of_is_there():
    makefile = text_of(ROOT / "Makefile")
    for page in PAGES:
        for target in re.findall(r"(?:^|\n)make ([a-z./]+)", "\n".join(shown_in(page))):
            assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"{page.name} shows make {target}"


def test_every_file_that_the_docs_name_is_there():
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("[st]*/**/*.*")}
    for page in PAGES:
        for named in re.findall(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.py)`", text_of(page)):
            assert any(file == named or file.endswith(f"/{named}") for file in files), f"{page.name} names {named}"


def test_every_filter_that_is_shown_can_be_read_and_every_part_of_one_is_shown():
    page = text_of(ROOT / "docs" / "filters.md")
    examples = [
        one for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for one in re.findall(r"`([^`]+)`", row)
    ]
    read = [to_json(from_text(example)) for example in examples]
    for line in re.findall(r"^ {4}(.+)$", page, re.MULTILINE):
        read.append(to_json(from_json(json.loads(line)) if line.startswith("{") else from_text(line)))
    assert len(examples) > 15
    shown = json.dumps(read)
    for part in KNOWN:
        # Other words for a part are read as that part.
        assert f'"{part}"' in shown or f"`{part}:" in page, f"docs/filters.md does not show {part}"


def test_every_link_in_the_docs_leads_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
        for target in re.findall(OWN_FILES, text_of(page)):
            assert (ROOT / target).exists(), f"{page.name} links to {target}"


def test_the_readme_can_be_read_where_it_is_published_alone():
    """Package indexes show the page without the files beside it."""
    readme = text_of(ROOT / "README.md")
    assert not re.findall(r"\]\((?!https://)[^)]*\)", readme)
    assert len(re.findall(OWN_FILES, readme)) > 10
    assert PROJECT["urls"]["Source"] == "https://github.com/cmdr-fm/cmdr"
    (picture,) = re.findall(r"!\[[^]]+\]\(\S+/main/(\S+\.gif)\)", readme)
    assert (ROOT / picture).stat().st_size < 1_000_000


def test_every_heading_that_a_link_names_is_there():
    for page in PAGES:
        for target, heading in re.findall(r"\]\(([^)#]*)#([^)]+)\)", text_of(page)):
            file = target.rpartition("/main/")[2] if ":" in target else target
            there = (ROOT if ":" in target else page.parent) / file if file else page
            words = re.findall(r"^#+ (.*)$", text_of(there), re.MULTILINE)
            known = [re.sub(r"[^\w -]", "", words_of.lower()).replace(" ", "-") for words_of in words]
            assert heading in known, f"{page.name} links to {target}#{heading}"


def test_every_extra_is_documented_and_every_one_that_is_named_is_there():
    extras = set(PROJECT["optional-dependencies"])
    listed = re.findall(r"^\| `(\w+)` \|", text_of(ROOT / "docs" / "install.md"), re.MULTILINE)
    assert {*listed, "all", "dev", "release"} == extras
    assert f"[{','.join(listed)}]" in PROJECT["optional-dependencies"]["all"][0]
    named = re.findall(r"cmdr-fm\[([a-z,]+)\]", text_of(*PAGES, *(ROOT / "src").rglob("*.py")))
    assert {each for names in named for each in names.split(",")} <= extras


def test_dependencies_each_say_why_they_are_there():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for block in re.findall(r"^(?:dependencies|dev) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL):
        for line in block.strip().splitlines():
            assert "  #" in line, line


def test_constraints_pin_versions_and_nothing_else():
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line), line
