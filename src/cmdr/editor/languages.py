"""Which language a file is written in, by its name, in the words that editors and language servers use."""

import os

PLAIN = "plaintext"

_NAMES = {
    b"cargo.lock": "toml",
    b"cmakelists.txt": "cmake",
    b"containerfile": "dockerfile",
    b"dockerfile": "dockerfile",
    b"gnumakefile": "makefile",
    b"go.mod": "go.mod",
    b"jenkinsfile": "groovy",
    b"makefile": "makefile",
    b"pipfile": "toml",
    b"poetry.lock": "toml",
    b"uv.lock": "toml",
    b".bashrc": "shellscript",
    b".profile": "shellscript",
    b".zshrc": "shellscript",
    b".gitignore": "ignore",
    b".dockerignore": "ignore",
    b".editorconfig": "ini",
    b".gitconfig": "ini",
    b"tsconfig.json": "jsonc",
    b"jsconfig.json": "jsonc",
    b"settings.json": "jsonc",
}

_ENDINGS = {
    "bat": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs edn",
    "cmake": "cmake",
    "cpp": "cc cpp cxx hpp hxx hh",
    "csharp": "cs",
    "css": "css",
    "dart": "dart",
    "diff": "diff patch",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "fsharp": "fs fsx",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "html": "html htm xhtml",
    "ini": "ini cfg conf desktop service",
    "java": "java",
    "javascript": "js mjs cjs",
    "javascriptreact": "jsx",
    "json": "json ipynb webmanifest geojson",
    "jsonc": "jsonc code-workspace",
    "jsonl": "jsonl ndjson",
    "julia": "jl",
    "kotlin": "kt kts",
    "latex": "tex sty cls",
    "less": "less",
    "lua": "lua",
    "makefile": "mk",
    "markdown": "md markdown mdx",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php",
    "powershell": "ps1 psm1",
    "proto": "proto",
    "python": "py pyi pyw",
    "r": "r",
    "restructuredtext": "rst",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc",
    "scss": "scss",
    "shellscript": "sh bash zsh ksh",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "terraform": "tf tfvars",
    "toml": "toml",
    "typescript": "ts mts cts",
    "typescriptreact": "tsx",
    "vim": "vim",
    "vue": "vue",
    "xml": "xml svg xsd xsl plist",
    "yaml": "yaml yml",
    "zig": "zig",
}
_BY_ENDING = {ending.encode(): language for language, endings in _ENDINGS.items() for ending in endings.split()}

_PROGRAMS = {
    "bash": "shellscript",
    "dash": "shellscript",
    "sh": "shellscript",
    "zsh": "shellscript",
    "node": "javascript",
    "perl": "perl",
    "python": "python",
    "ruby": "ruby",
}


def language_of(path: bytes, first_line: str = "") -> str:
    """The language id of a file; the first line helps for programs without an ending."""
    name = os.path.basename(path).lower()
    if name in _NAMES:
        return _NAMES[name]
    _, dot, ending = name.rpartition(b".")
    if dot and ending in _BY_ENDING:
        return _BY_ENDING[ending]
    if name.startswith(b"dockerfile."):
        return "dockerfile"
    return _language_of_script(first_line) if first_line.startswith("#!") else PLAIN


def _language_of_script(first_line: str) -> str:
    words = first_line[2:].split()
    program = os.path.basename(words[0]) if words else ""
    if program == "env":
        program = next(
            (os.path.basename(word) for word in words[1:] if not word.startswith("-") and "=" not in word), ""
        )
    return _PROGRAMS.get(program.rstrip("0123456789."), PLAIN)
