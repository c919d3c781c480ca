"""How a browser becomes the person's: a link that works once, exchanged for a cookie that ends with the program."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from cmdr.core.principals import PERSON_ACCESS, Principal

CODE_SECONDS = 60.0
IDLE_SECONDS = 12 * 3600.0
BROWSER = Principal("person", "browser", PERSON_ACCESS, token=True)


class BrowserLogin:
    """Codes for one login each, and the cookies they were exchanged for; only hashes are kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[bytes, float] = {}
        self._cookies: dict[bytes, float] = {}

    def new_code(self) -> str:
        """A code for one login within a minute."""
        code = secrets.token_urlsafe(32)
        self._codes[_digest(code)] = self._clock() + CODE_SECONDS
        return code

    def exchange(self, code: str) -> str | None:
        """A cookie for a code, once; None when it was used, is too old or was never made."""
        ends = self._codes.pop(_digest(code), None)
        if ends is None or ends < self._clock():
            return None
        cookie = secrets.token_urlsafe(32)
        self._cookies[_digest(cookie)] = self._clock() + IDLE_SECONDS
        return cookie

    def person(self, cookie: str) -> Principal | None:
        """The person behind a cookie; using it keeps it alive."""
        digest = _digest(cookie)
        for known, ends in list(self._cookies.items()):
            if hmac.compare_digest(known, digest):
                if ends < self._clock():
                    del self._cookies[known]
                    return None
                self._cookies[known] = self._clock() + IDLE_SECONDS
                return BROWSER
        return None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
