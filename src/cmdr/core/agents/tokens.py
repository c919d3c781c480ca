"""The tokens by which agents prove who they are.

The default token is new at every start and stands in a private file in the runtime directory. A client can have a
token of its own, under its own name and held to its own toolsets; of those only the SHA-256 is kept.
"""

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

from cmdr.core import places
from cmdr.core.dispatch.principals import Principal
from cmdr.model.root_spec import RootSpec

CLIENTS = "clients.json"
DEFAULT = Principal("agent", "default", token=True)
"""Whoever can read the token file: a program of the same user."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_RESERVED = frozenset({DEFAULT.name, "same-user"})
_MAX_CLIENTS_BYTES = 1 << 20


class TokenError(Exception):
    """A token could not be issued; the message says why and what to do."""


class BadClientName(TokenError):
    """A client's name stands in the audit log, so it is short and plain."""


class ClientExists(TokenError):
    """A second token under the same name would silently cut off the program that uses the first."""


class BrokenClients(TokenError):
    """The list of clients cannot be read; it is left as it is."""


@dataclass(frozen=True, slots=True)
class Client:
    """One named client, as kept in the state directory."""

    name: str
    sha256: str
    toolsets: tuple[str, ...] | None
    created: float
    expires: float | None
    roots: tuple[str, ...] | None = None
    """Folders it is held to, each as `DIR` or `DIR:ro`."""
    read_only: bool = False

    def principal(self) -> Principal:
        """The caller that this client's token proves."""
        toolsets = None if self.toolsets is None else frozenset(self.toolsets)
        roots = None if self.roots is None else tuple(RootSpec.parse(root) for root in self.roots)
        return Principal("agent", self.name, toolsets=toolsets, token=True, roots=roots, read_only=self.read_only)


class Tokens:
    """Every token that is good right now."""

    def __init__(self, runtime: str, state: str, clock: Callable[[], float] = time.time) -> None:
        self.path = os.path.join(runtime, places.TOKEN_NAME)
        self._clients_path = os.path.join(state, CLIENTS)
        self._clock = clock
        self._default: bytes | None = None
        self._seen: tuple[int, ...] | None = None
        self._clients: tuple[Client, ...] = ()

    def renew(self) -> None:
        """Make the default token of this run, after the instance is claimed and before it is announced."""
        token = _new_token()
        places.write(self.path, token.encode() + b"\n")
        self._default = _digest(token)

    def withdraw(self) -> None:
        """Remove the default token at exit."""
        self._default = None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def verify(self, token: str) -> Principal | None:
        """Who a token proves, or None. Every known token is compared, so the time tells nothing."""
        digest = _digest(token)
        found = DEFAULT if self._default is not None and hmac.compare_digest(self._default, digest) else None
        now = self._clock()
        for client in self._current():
            same = hmac.compare_digest(client.sha256, digest.hex())
            if same and (client.expires is None or now < client.expires):
                found = client.principal()
        return found

    def issue(
        self,
        name: str,
        *,
        toolsets: Iterable[str] | None = None,
        seconds: float | None = None,
        replace: bool = False,
        roots: Iterable[RootSpec] | None = None,
        read_only: bool = False,
    ) -> str:
        """Make a token for a named client and return it: the only time it can be seen."""
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise BadClientName(f"{name[:60]!r} cannot name a client; use 1 to 40 of a-z, 0-9, '.', '_' and '-'.")
        token = _new_token()
        now = self._clock()
        client = Client(
            name,
            _digest(token).hex(),
            None if toolsets is None else tuple(sorted(set(toolsets))),
            now,
            None if seconds is None else now + seconds,
            None if roots is None else tuple(str(root) for root in roots),
            read_only,
        )
        with self._exclusive():
            clients = self._load()
            if not replace and any(known.name == name for known in clients):
                raise ClientExists(f"{name} already has a token; add --replace to make a new one in its place.")
            self._store([known for known in clients if known.name != name] + [client])
        return token

    def clients(self) -> tuple[Client, ...]:
        """Every named client, expired ones too."""
        return self._load()

    def revoke(self, name: str) -> bool:
        """Make a named client's token worthless; False when there is no such client."""
        with self._exclusive():
            clients = self._load()
            kept = [known for known in clients if known.name != name]
            if len(kept) == len(clients):
                return False
            self._store(kept)
            return True

    def _current(self) -> tuple[Client, ...]:
        # A token issued or revoked by another process counts at once; reading only when the file is another one
        # keeps the cost of a call at one stat.
        try:
            now = os.stat(self._clients_path, follow_symlinks=False)
        except OSError:
            self._seen, self._clients = None, ()
            return ()
        seen = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        if seen != self._seen:
            try:
                self._clients = self._load()
            except (BrokenClients, places.UnsafePlace):
                self._clients = ()  # unclear means nobody
            self._seen = seen
        return self._clients

    def _load(self) -> tuple[Client, ...]:
        data = places.read(self._clients_path, _MAX_CLIENTS_BYTES)
        if data is None:
            return ()
        try:
            return tuple(_client(item) for item in json.loads(data)["clients"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BrokenClients(
                f"{self._clients_path} cannot be understood; mend it or move it away, then issue the tokens again."
            ) from error

    def _store(self, clients: list[Client]) -> None:
        data = json.dumps({"clients": [_row(client) for client in clients]}, indent=1)
        places.write(self._clients_path, data.encode() + b"\n")

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(f"{self._clients_path}.lock", flags, places.PRIVATE_FILE)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def _new_token() -> str:
    return "cmdr_" + secrets.token_urlsafe(32)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _row(client: Client) -> dict[str, object]:
    row = asdict(client)
    if client.roots is None:
        del row["roots"]
    if not client.read_only:
        del row["read_only"]
    return row


def _client(item: dict[str, object]) -> Client:
    name, sha256, toolsets = item["name"], item["sha256"], item["toolsets"]
    created, expires = item["created"], item["expires"]
    if not (isinstance(name, str) and _NAME.fullmatch(name) and name not in _RESERVED):
        raise TypeError("name")
    if not (isinstance(sha256, str) and re.fullmatch(r"[0-9a-f]{64}", sha256)):
        raise TypeError("sha256")
    if not isinstance(created, int | float) or not (expires is None or isinstance(expires, int | float)):
        raise TypeError("times")
    read_only = item.get("read_only", False)
    if not isinstance(read_only, bool):
        raise TypeError("read_only")
    return Client(
        name, sha256, _texts(toolsets, "toolsets"), created, expires, _texts(item.get("roots"), "roots"), read_only
    )


def _texts(value: object, name: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise TypeError(name)
    return tuple(value)
