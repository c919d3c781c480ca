"""Any JSON answer as a plain page: facts as a list, rows as a table, links as links. Everything is escaped."""

from html import escape

from cmdr.core.dispatch.parameter import Json

_FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="/static/cmdr.css"></head>
<body><header><a href="/api/indexes">indexes</a> <a href="/api/resource-sets">sets</a>
<a href="/api/queries">queries</a></header><main><h1>{title}</h1>
{body}
</main></body></html>
"""

_KEY_FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>cmdr</title><link rel="stylesheet" href="/static/cmdr.css">
<meta name="cmdr-page" content="{key}"><script type="module" src="/static/page/login.js"></script></head>
<body><main><p id="told">Opening cmdr …</p><noscript><p>cmdr's page needs JavaScript.</p></noscript></main>
</body></html>
"""


def key_page(key: str) -> str:
    """The page that takes the key of a login into the browser's storage and goes on to the commander."""
    return _KEY_FRAME.format(key=escape(key))


def page_of(title: str, value: Json) -> str:
    """A whole page."""
    return _FRAME.format(title=escape(title), body=_block(value))


def _block(value: Json) -> str:
    if isinstance(value, dict):
        rows = "".join(f"<dt>{escape(key)}</dt><dd>{_block(item)}</dd>" for key, item in value.items())
        return f"<dl>{rows}</dl>"
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in value):
            return _table([item for item in value if isinstance(item, dict)])
        return "<ul>" + "".join(f"<li>{_block(item)}</li>" for item in value) + "</ul>"
    return _plain(value)


def _table(rows: list[dict[str, Json]]) -> str:
    columns = list(rows[0])
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_block(row.get(column))}</td>" for column in columns) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _plain(value: str | float | bool | None) -> str:
    if value is None:
        return "—"
    text = escape(str(value))
    if isinstance(value, str) and value.startswith("http://127.0.0.1:") and " " not in value:
        return f'<a href="{text}">{text}</a>'
    return text
