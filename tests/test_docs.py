"""The documentation is true: generated pages are current, and every variable and verb is documented."""

import re
import runpy
from dataclasses import fields
from pathlib import Path

from cmdr.core.environment import Environment

ROOT = Path(__file__).parent.parent


def test_generated_pages_are_what_the_registry_says():
    pages = runpy.run_path(str(ROOT / "tools" / "docs.py"))["PAGES"]
    for name, page in pages.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page(), f"docs/{name} is old: run make docs"


def test_the_readme_names_every_variable_that_is_read():
    source = (ROOT / "src/cmdr/core/environment.py").read_text() + (ROOT / "src/cmdr/core/limits.py").read_text()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for variable in set(re.findall(r"CMDR_[A-Z_]+", source)):
        assert f"`{variable}`" in readme
    assert len(fields(Environment)) >= 5


def test_every_link_in_the_docs_leads_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_dependencies_each_say_why_they_are_there():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for block in re.findall(r"^(?:dependencies|dev) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL):
        for line in block.strip().splitlines():
            assert "  #" in line, line


def test_constraints_pin_versions_and_nothing_else():
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line), line
