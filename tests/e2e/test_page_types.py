"""The page's own modules: typed by their comments and checked strictly; nothing inline, nothing foreign."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "src" / "cmdr" / "web" / "static" / "page"
MODULES = sorted(PAGE.rglob("*.js"))
STRICT = (
    "--noEmit --allowJs --checkJs --strict --noUnusedLocals --target es2022 --module es2022 --moduleResolution bundler"
    " --lib es2023,dom,dom.iterable --types"
).split()


def test_every_module_has_its_types(node):
    compiler = node.modules / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        import pytest

        pytest.skip("TypeScript is not installed; `make tools` installs it")
    checked = node.run(compiler, *STRICT, "", *MODULES)
    assert checked.returncode == 0, checked.stdout


def test_every_module_says_what_it_is_for_and_is_short():
    for module in [*MODULES, *PAGE.glob("*.css")]:
        lines = module.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(("// ", "/* ")), module.name
        assert len(lines) <= 250, module.name
        assert max(map(len, lines)) <= 120, module.name


def test_no_module_makes_markup_or_code_out_of_text():
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc")
    for module in MODULES:
        assert not forbidden.search(module.read_text(encoding="utf-8")), module.name


def test_the_page_loads_nothing_from_elsewhere_and_holds_nothing_inline():
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    assert "://" not in html
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", html)
    for module in MODULES:
        found = re.findall(r"https?://[^'\"` ]+", module.read_text(encoding="utf-8"))
        assert [url for url in found if url != "http://www.w3.org/2000/svg"] == [], module.name
