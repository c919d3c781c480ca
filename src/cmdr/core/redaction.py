"""Taking secrets out of text before it is written down: tokens, cookies, login codes."""

import re

GONE = "[removed]"
_SECRETS = (
    re.compile(r"cmdr_[A-Za-z0-9_-]{16,}"),
    re.compile(r"(?i)\b(bearer|basic)(\s+|%20)[^\s\"',;]+"),
    # A whole header line, or a pair of a header list, in whichever way it was printed.
    re.compile(
        r"(?i)((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)(['\"]?\s*[:=,]\s*)(b?['\"][^'\"]*['\"]|[^\r\n]+)"
    ),
    re.compile(r"(?i)([?&](?:code|token|key|secret|password)=)[^\s&\"'#]+"),
    re.compile(r"(?i)\b(cmdr-\d{1,5}=)[^\s;\"']+"),
    re.compile(r"(?i)\b(token|password|passwd|secret|api_?key)(['\"]?\s*[:=]\s*['\"]?)[^\s\"',;&]{6,}"),
)
_REPLACED = (GONE, rf"\1\2{GONE}", rf"\1\2{GONE}", rf"\1{GONE}", rf"\1{GONE}", rf"\1\2{GONE}")


# Looking for plain words is much faster than the patterns, and most lines have none of them.
_HINTS = tuple("cmdr_ cmdr- bearer basic authorization cookie key code= token secret passw".split())


def redacted(text: str) -> str:
    """The text without anything that would let somebody in."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    for pattern, instead in zip(_SECRETS, _REPLACED, strict=True):
        text = pattern.sub(instead, text)
    return text
