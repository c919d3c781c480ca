"""How a browser becomes the person's: a link that works once, exchanged for a cookie and a key that end with cmdr.

A browser sends its cookies to every port of this machine, so a server of another user sees them too. The key is kept by
the page in the storage of its own origin, which no other port can read, and is sent as a header: only both are the
person.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from cmdr.core.dispatch.principals import PERSON_ACCESS, Principal

CODE_LIFETIME_S = 60.0
LOGIN_IDLE_S = 12 * 3600.0
BROWSER = Principal("person", "browser", PERSON_ACCESS, token=True)


class Secrets(NamedTuple):
    """What one login gives to the browser."""

    cookie: str
    key: str


@dataclass(slots=True)
class Login:
    """A browser that was let in; only hashes of its secrets are kept."""

    id: str
    _key: bytes
    ends: float

    def holds(self, key: str) -> bool:
        """Whether the key belongs to this login."""
        return hmac.compare_digest(self._key, _digest(key))


class BrowserLogin:
    """Codes for one login each, and the logins they were exchanged for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[bytes, float] = {}
        self._logins: dict[bytes, Login] = {}

    def new_code(self) -> str:
        """A code for one login within a minute."""
        code = secrets.token_urlsafe(32)
        self._codes[_digest(code)] = self._clock() + CODE_LIFETIME_S
        return code

    def exchange(self, code: str) -> Secrets | None:
        """A cookie and a key for a code, once; None when it was used, is too old or was never made."""
        ends = self._codes.pop(_digest(code), None)
        if ends is None or ends < self._clock():
            return None
        # Tokens of ours begin so, and are taken out of whatever is logged.
        made = Secrets(secrets.token_urlsafe(32), f"cmdr_page_{secrets.token_urlsafe(32)}")
        login = Login(secrets.token_hex(8), _digest(made.key), self._clock() + LOGIN_IDLE_S)
        self._logins[_digest(made.cookie)] = login
        return made

    def login(self, cookie: str) -> Login | None:
        """The login that a cookie belongs to; using it keeps it alive."""
        digest = _digest(cookie)
        for known, login in list(self._logins.items()):
            if hmac.compare_digest(known, digest):
                if login.ends < self._clock():
                    del self._logins[known]
                    return None
                login.ends = self._clock() + LOGIN_IDLE_S
                return login
        return None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
