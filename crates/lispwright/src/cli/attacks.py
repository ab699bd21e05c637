"""What confined code tries in order to get out. Each attack is a line: its name, and `held`, `BROKEN` or `absent`.

Arguments: the server's process, another process of the same user, a TCP port, a UDP port, a socket that is a file, an
abstract socket's name, a file outside, a file inside, whether the mechanism promises that metadata outside stays, and
files that are hidden.
What comes out of sockets is seen by whoever listens there.
"""

import array
import ctypes
import errno
import fcntl
import os
import platform
import socket
import stat
import struct
import sys

server, victim, tcp, udp = (int(word) for word in sys.argv[1:5])
path, abstract, outside, inside, metadata = sys.argv[5:10]
libc = ctypes.CDLL(None, use_errno=True)
# Numbers of system calls that differ between x86-64 and other machines.
X86 = platform.machine() == "x86_64"


def call(x86, other, *arguments):
    """A system call by its number; an error is an exception."""
    ctypes.set_errno(0)
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    if libc.syscall(ctypes.c_long(x86 if X86 else other), *words) < 0:
        raise OSError(ctypes.get_errno(), "")


def attack(name, attempt, refused=None):
    """Held is what fails, with one of the errors `refused` where others would only say that it was tried wrongly."""
    try:
        attempt()
        verdict = "BROKEN"
    except FileNotFoundError:
        verdict = "absent"
    except OSError as error:
        right = refused is None or error.errno in refused
        verdict = "held" if right else "BROKEN " + errno.errorcode.get(error.errno, str(error.errno))
    print(name, verdict, flush=True)


def silent(attempt):
    try:
        attempt()
    except OSError:
        pass


def mptcp():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as ours:
        ours.connect(("127.0.0.1", tcp))


def fast_open():
    with socket.socket() as ours:
        ours.sendto(b"x", 0x20000000, ("127.0.0.1", tcp))


def datagram_from_a_pair():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(b"x", path + ".datagrams")


# The test checks whether a connection arrived: in a private network the attempt itself may succeed.
silent(lambda: socket.create_connection(("127.0.0.1", tcp)))
silent(mptcp)
silent(fast_open)
silent(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", udp)))
silent(lambda: socket.socket(socket.AF_UNIX).connect(path))
silent(lambda: socket.socket(socket.AF_UNIX).connect("\0" + abstract))
silent(datagram_from_a_pair)

PERMISSION = (errno.EPERM, errno.EACCES)
GONE = (*PERMISSION, errno.ESRCH)
attack("socket-file", lambda: socket.socket(socket.AF_UNIX))
attack("socket-vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attack("datagram-pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), PERMISSION)

for name, process in (("server", server), ("victim", victim)):
    attack("signal-" + name, lambda: os.kill(process, 0), GONE)
    limit = ctypes.create_string_buffer(struct.pack("QQ", 0, 0))
    attack("prlimit-" + name, lambda: call(302, 261, process, 1, limit, None), GONE)
    attack("scheduler-" + name, lambda: os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0)), GONE)
    attack("affinity-" + name, lambda: os.sched_setaffinity(process, {0}), GONE)
    attack("priority-" + name, lambda: os.setpriority(os.PRIO_PROCESS, process, 19), GONE)
    attack("trace-" + name, lambda: call(101, 117, 16, process, 0, 0), GONE)
    attack("memory-" + name, lambda: call(310, 270, process, None, 0, None, 0, 0), GONE)
    attack("environment-" + name, lambda: open(f"/proc/{process}/environ", "rb").read())
    attack("root-" + name, lambda: os.listdir(f"/proc/{process}/root"))

if metadata != "stays":
    # In other places the user has no other processes.
    attack("priority-user", lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19), PERMISSION)



def read_hidden(secret):
    if not open(secret).read():
        raise PermissionError(errno.EACCES, "")


for secret in sys.argv[10:]:
    try:
        read_hidden(secret)
        print("hidden BROKEN")
    except OSError:
        print("hidden held")

attack("write", lambda: open(outside, "a"))
attack("truncate", lambda: os.truncate(outside, 0))
attack("remove", lambda: os.remove(outside))
attack("rename", lambda: os.rename(outside, inside + ".moved"))
attack("hard-link", lambda: os.link(outside, inside + ".link"))
attack("by-root-of-process", lambda: open("/proc/self/root" + outside, "a"))
attack("xattr", lambda: os.setxattr(outside, "user.lispwright", b"1"))


def flags():
    with open(outside) as file:
        fcntl.ioctl(file, 0x40086602, array.array("i", [0x40]))


attack("chattr", flags)


def lease():
    with open(outside) as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)


attack("lease", lease, (errno.EPERM,))
if metadata == "stays":
    attack("mode", lambda: os.chmod(outside, 0o777))
    attack("times", lambda: os.utime(outside, (1, 1)))

attack("block-device", lambda: os.mknod(inside + ".block", stat.S_IFBLK | 0o600, os.makedev(7, 0)), PERMISSION)
attack("character-device", lambda: os.mknod(inside + ".char", stat.S_IFCHR | 0o600, os.makedev(1, 1)), PERMISSION)
attack("setuid", lambda: os.chmod(inside, 0o4755), PERMISSION)
attack("setgid", lambda: os.chmod(inside, 0o2755), PERMISSION)
attack("setuid-made", lambda: os.open(inside + ".made", os.O_CREAT | os.O_WRONLY, 0o4755), PERMISSION)

terminals = [f"/dev/pts/{name}" for name in os.listdir("/dev/pts") if name.isdigit()]
for terminal in terminals:
    attack("terminal", lambda: os.open(terminal, os.O_WRONLY | os.O_NOCTTY), PERMISSION)
if not terminals:
    print("terminal absent")


def type_into_a_terminal():
    _, ours = os.openpty()
    fcntl.ioctl(ours, 0x5412, b"x")


attack("typing", type_into_a_terminal, PERMISSION)

attack("mount", lambda: call(165, 40, 0, 0, 0, 0, 0), (errno.EPERM,))
attack("namespace", lambda: call(272, 97, 0x10000000), (errno.EPERM,))
attack("cloned-namespace", lambda: call(56, 220, 0x10000000 | 17, 0, 0, 0, 0), (errno.EPERM,))
attack("io-uring", lambda: call(425, 425, 1, None), (errno.EPERM,))
attack("bpf", lambda: call(321, 280, 0, None, 0), (errno.EPERM,))
attack("keys", lambda: call(250, 219, 0, -3, 0), (errno.EPERM,))
attack("host-name", lambda: call(170, 161, b"x", 1), (errno.EPERM,))
if X86:
    attack("x32", lambda: call(41 | 0x40000000, 0, socket.AF_UNIX, socket.SOCK_STREAM, 0), (errno.EPERM, errno.ENOSYS))

status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
none = all(int(status[name], 16) == 0 for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"))
print("capabilities", "held" if none and status["NoNewPrivs"] == "1" else "BROKEN")
print("end")
