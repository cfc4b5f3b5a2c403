# SPDX-License-Identifier: Apache-2.0
"""A program driven instruction by instruction (ptrace of x86-64), so that a signal reaches it at the one worst moment."""

import ctypes
import os

SYSCALL, SINGLE_STEP, ATTACH, DETACH, GET_REGISTERS, PEEK = 24, 9, 16, 17, 12, 1  # Linux's <sys/ptrace.h>
RAX, ORIGINAL_RAX, RDI, RIP, WORDS = 10, 15, 14, 16, 27  # of <sys/user.h>'s user_regs_struct
WRITE, POLLS = 1, (7, 271)  # system calls: poll and ppoll
SYSCALL_INSTRUCTION = b"\x0f\x05"
MOST_STEPS = 1_000_000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, process, address=None, data=None):
    ctypes.set_errno(0)
    result = libc.ptrace(request, process, address, data)
    if result == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def go_on(request, process):
    """Up to its next stop; its registers there."""
    ptrace(request, process)
    _, status = os.waitpid(process, 0)
    assert os.WIFSTOPPED(status), status
    registers = (ctypes.c_ulonglong * WORDS)()
    ptrace(GET_REGISTERS, process, None, ctypes.addressof(registers))
    return registers


def signal_just_before_poll(process, number, wake):
    """Calls `wake`, lets the program write what it then has to say to its standard output, and sends the signal when the next
    instruction is the poll in which it would sleep."""
    ptrace(ATTACH, process)
    os.waitpid(process, 0)
    wake()
    while (registers := go_on(SYSCALL, process))[ORIGINAL_RAX] != WRITE or registers[RDI] != 1:
        pass
    for _ in range(MOST_STEPS):
        registers = go_on(SINGLE_STEP, process)
        if registers[RAX] in POLLS and ptrace(PEEK, process, registers[RIP]).to_bytes(8, "little", signed=True)[:2] == SYSCALL_INSTRUCTION:
            break
    else:
        raise AssertionError("it does not poll")
    os.kill(process, number)
    ptrace(DETACH, process)
