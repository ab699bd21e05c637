"""A process whose environment is as many megabytes long as the argument says, without taking the memory for it.

It points at pages that nobody has written, which needs no rights (`PR_SET_MM_MAP`). Whoever reads it whole gets zeros.
Says `ready` and waits for the end of its input.
"""

import ctypes
import sys

PR_SET_MM, PR_SET_MM_MAP = 35, 14
READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE = 3, 0x4022
NAMES = "start_code end_code start_data end_data start_brk brk start_stack arg_start arg_end env_start env_end".split()


class Map(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint64) for name in (*NAMES, "auxv")),
        ("auxv_size", ctypes.c_uint32),
        ("exe_fd", ctypes.c_uint32),
    ]


libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
length = int(sys.argv[1]) << 20
start = libc.mmap(None, length, READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE, -1, 0)
fields = open("/proc/self/stat").read().rsplit(") ", 1)[1].split()
# `proc_pid_stat` counts from 1, and two fields came before.
code, end_code, data, end_data, heap, stack, words, end_words = (
    int(fields[number - 3]) for number in (26, 27, 45, 46, 47, 28, 48, 49)
)
layout = Map(code, end_code, data, end_data, heap, heap, stack, words, end_words, start, start + length, 0, 0, 2**32 - 1)
refused = libc.prctl(PR_SET_MM, PR_SET_MM_MAP, ctypes.byref(layout), ctypes.sizeof(layout), 0)
print(f"not ready: error {ctypes.get_errno()}" if refused else "ready", flush=True)
sys.stdin.read()
