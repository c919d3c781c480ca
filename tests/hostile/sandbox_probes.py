"""Runs inside a sandbox and tries to get out, forty ways and more; prints what it managed, one JSON object.

Called with one JSON argument: where the outside is, which process and ports are the host's. Plain Python, standard
library only, because inside there is nothing else.
"""

import ctypes
import json
import os
import signal
import socket
import stat
import sys

PROBES = {}
libc = ctypes.CDLL(None, use_errno=True)


def probe(name):
    def keep(function):
        PROBES[name] = function
        return function

    return keep


def reading(name, path):
    @probe(name)
    def read(at):
        with open(path(at), "rb") as file:
            return file.read(64)


reading("read a file outside", lambda at: at["outside"] + "/secret.txt")
reading("read the password file", lambda at: "/etc/shadow")
reading("read through a link", lambda at: at["root"] + "/link_out/secret.txt")
reading("read through dots", lambda at: at["root"] + "/../outside/secret.txt")
reading("read through the process's root", lambda at: f"/proc/self/root{at['outside']}/secret.txt")
reading("read through the host process's root", lambda at: f"/proc/{at['pid']}/root{at['outside']}/secret.txt")
reading("read the host process's environment", lambda at: f"/proc/{at['pid']}/environ")
reading("read the host process's folder", lambda at: f"/proc/{at['pid']}/cwd/secret.txt")
reading("read our own state", lambda at: at["state"] + "/token")
reading("read the first disk", lambda at: "/dev/vda")
reading("read kernel memory", lambda at: "/dev/mem")
reading("read the kernel log", lambda at: "/dev/kmsg")
reading("read the host's machine id", lambda at: "/etc/machine-id")
reading("read the host's mounts", lambda at: "/etc/fstab")


@probe("list the folder outside")
def list_outside(at):
    return os.listdir(at["outside"])


@probe("list the homes")
def list_homes(at):
    return os.listdir("/home") + os.listdir("/root")


@probe("list the run folder")
def list_run(at):
    return os.listdir("/run") or None


@probe("find secrets in the environment")
def environment(at):
    return [name for name in os.environ if name.startswith(("CMDR", "SSH", "AWS", "XDG", "DBUS"))] or None


@probe("find open descriptors")
def descriptors(at):
    found = []
    for fd in range(3, 256):
        try:
            os.fstat(fd)
            found.append(fd)
        except OSError:
            continue
    return found or None


def changing(name, change):
    probe(name)(lambda at: change(at, at["outside"]) or "done")


def write(path, flags=os.O_WRONLY):
    fd = os.open(path, flags, 0o600)
    os.write(fd, b"changed")
    os.close(fd)


changing("write a new file outside", lambda at, out: write(out + "/new", os.O_WRONLY | os.O_CREAT))
changing("write over a file outside", lambda at, out: write(out + "/secret.txt"))
changing("append to a file outside", lambda at, out: write(out + "/secret.txt", os.O_WRONLY | os.O_APPEND))
changing("truncate a file outside", lambda at, out: os.truncate(out + "/secret.txt", 0))
changing("rename a file outside", lambda at, out: os.rename(out + "/secret.txt", out + "/renamed"))
changing("take a file from outside", lambda at, out: os.rename(out + "/secret.txt", at["root"] + "/taken"))
changing("put a file outside", lambda at, out: os.rename(at["root"] + "/put", out + "/put"))
changing("remove a file outside", lambda at, out: os.unlink(out + "/secret.txt"))
changing("make a folder outside", lambda at, out: os.mkdir(out + "/made"))
changing("make a link outside", lambda at, out: os.symlink("/", out + "/link"))
changing("give an outside file a name inside", lambda at, out: os.link(out + "/secret.txt", at["root"] + "/twin"))
changing("give an inside file a name outside", lambda at, out: os.link(at["root"] + "/put", out + "/twin"))
changing("change a mode outside", lambda at, out: os.chmod(out + "/secret.txt", 0o777))
changing("change times outside", lambda at, out: os.utime(out + "/secret.txt", (1, 1)))
changing("change the programs", lambda at, out: write("/usr/bin/walls-probe", os.O_WRONLY | os.O_CREAT))
changing("change the settings", lambda at, out: write("/etc/walls-probe", os.O_WRONLY | os.O_CREAT))
changing("write to the root folder", lambda at, out: write("/walls-probe", os.O_WRONLY | os.O_CREAT))
changing("make a device", lambda at, out: os.mknod(at["root"] + "/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0)))


def connecting(name, family, kind, address):
    @probe(name)
    def connect(at):
        with socket.socket(family, kind) as out:
            out.settimeout(1)
            out.connect(address(at))
            out.send(b"hello")
            if kind == socket.SOCK_DGRAM and family != socket.AF_UNIX:
                return out.recv(16)  # only an answer shows that it arrived
        return "connected"


connecting("reach our own port", socket.AF_INET, socket.SOCK_STREAM, lambda at: ("127.0.0.1", at["tcp"]))
connecting("reach a port by IPv6", socket.AF_INET6, socket.SOCK_STREAM, lambda at: ("::1", at["tcp6"]))
connecting("send a datagram", socket.AF_INET, socket.SOCK_DGRAM, lambda at: ("127.0.0.1", at["udp"]))
connecting("reach the internet", socket.AF_INET, socket.SOCK_STREAM, lambda at: ("1.1.1.1", 53))
connecting("reach a socket by path", socket.AF_UNIX, socket.SOCK_STREAM, lambda at: at["unix"])
connecting("reach an abstract socket", socket.AF_UNIX, socket.SOCK_STREAM, lambda at: "\0" + at["abstract"])


@probe("see the host process")
def see(at):
    with open(f"/proc/{at['pid']}/cmdline", "rb") as file:
        words = file.read()
    return words if at["marker"].encode() in words else None


@probe("signal the host process")
def signal_host(at):
    os.kill(at["pid"], signal.SIGUSR1)
    return "sent"


@probe("trace the host process")
def trace(at):
    return "attached" if libc.ptrace(16, at["pid"], 0, 0) == 0 else None


@probe("read the host process's memory")
def memory(at):
    with open(f"/proc/{at['pid']}/mem", "rb") as file:
        file.seek(at["address"])
        return file.read(8)


@probe("change a kernel setting")
def kernel_setting(at):
    # Written back as it is, so that an open door does no harm.
    with open("/proc/sys/kernel/core_pattern", "r+b", buffering=0) as file:
        value = file.read()
        file.seek(0)
        return file.write(value)


@probe("mount something")
def mount(at):
    return "mounted" if libc.mount(b"none", os.fsencode(at["root"]), b"tmpfs", 0, None) == 0 else None


@probe("change the root folder")
def chroot(at):
    os.chroot(at["root"])
    return "changed"


@probe("open a file by its handle")
def by_handle(at):
    return "opened" if libc.open_by_handle_at(-100, ctypes.create_string_buffer(64), 0) >= 0 else None


@probe("gain rights by a set-user program")
def set_user(at):
    return None if libc.prctl(39, 0, 0, 0, 0) == 1 else "possible"  # PR_GET_NO_NEW_PRIVS


@probe("keep capabilities")
def capabilities(at):
    held = (ctypes.c_uint32 * 6)()
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if libc.capget(header, held) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    return None if not any(held) else list(held)


def main():
    at = json.loads(sys.argv[1])
    told = {}
    for name, function in PROBES.items():
        try:
            found = function(at)
            told[name] = "blocked" if found is None else f"ESCAPED {found!r}"[:80]
        except OSError as error:
            told[name] = f"blocked {error.strerror}"
        except Exception as error:
            told[name] = f"broken {error!r}"
    print(json.dumps(told))


if __name__ == "__main__":
    main()
