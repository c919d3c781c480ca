"""A sandbox profile: what a command may see and use, whichever backend confines it."""

import os
from dataclasses import dataclass, field

MIB = 1 << 20
PROGRAMS = tuple(path for path in (b"/usr", b"/opt", b"/nix/store", b"/gnu/store") if os.path.isdir(path))
"""Where programs and their libraries stand; read and run, never changed."""
ALIASES = (b"/bin", b"/sbin", b"/lib", b"/lib32", b"/lib64", b"/libx32")
"""On most systems links into /usr."""
SETTINGS = (
    b"/etc/alternatives /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/passwd /etc/group /etc/nsswitch.conf "
    b"/etc/localtime /etc/ssl/certs /etc/ssl/openssl.cnf /etc/pki/tls/certs /etc/mime.types /etc/os-release "
    b"/etc/fonts /etc/python3 /etc/perl"
).split()
"""The settings programs need to start; the rest of /etc stays out, and with it every password."""
NETWORK_SETTINGS = b"/etc/resolv.conf /etc/hosts /etc/services /etc/ca-certificates".split()
"""What programs need besides to find others on the network."""


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The most a command may take."""

    memory: int = 2048 * MIB
    """Address space of each process."""
    processes: int = 256
    file_size: int = 1024 * MIB
    open_files: int = 256


@dataclass(frozen=True, slots=True)
class SandboxProfile:
    """The inside of a sandbox: everything that is not named here is not there."""

    folder: bytes
    """Where the command starts; also its home."""
    write: tuple[bytes, ...] = ()
    read: tuple[bytes, ...] = ()
    hide: tuple[bytes, ...] = ()
    """Places inside the others that stay out of sight."""
    read_only: tuple[bytes, ...] = ()
    """Places inside the writable ones that stay as they are."""
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    variables: tuple[tuple[str, str], ...] = ()
    """What the command finds in its environment besides the usual few."""
    network: bool = False
    """Whether it may reach what this machine can reach; only where the person said so."""

    def environment(self) -> dict[str, str]:
        """The whole environment of the command: nothing of ours, so no tokens and no proxies."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
            "HOME": os.fsdecode(self.folder),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": "/tmp",  # noqa: S108 - inside, this is a folder of its own
            **dict(self.variables),
        }
