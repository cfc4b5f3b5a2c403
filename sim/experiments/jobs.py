# SPDX-License-Identifier: Apache-2.0
"""Work done in processes of their own, some at a time. A guest's clock counts instructions, so guests beside each other should disturb each other little."""
import multiprocessing
import signal
from multiprocessing.connection import wait

from system.processes import end_on_signals, end_with

from command_line import INTERRUPTED, unread  # by the path that `system` has set

_processes = multiprocessing.get_context("fork")  # a child has what the parent has read
NOT_WELL = 2  # the exit status of a child whose work returned nothing true; Python's own for what it did not catch is 1


def side_by_side(tasks, work, at_once, kind=lambda task: None):
    """Calls `work(task)` for each task in a child process, of each `kind(task)` `at_once` of them at a time in the order given; yields each
    task when its child has ended, and its exit status: 0 when `work` returned something true, NOT_WELL when something else, any other when it
    did not return; a signal's is negative. Whatever ends this ends the children, through their clean-up, be it a kill that no program survives."""
    waiting, running = list(tasks), {}
    try:
        while waiting or running:
            for task in list(waiting):
                if sum(kind(other) == kind(task) for _, other in running.values()) == at_once:
                    continue
                waiting.remove(task)
                process = _processes.Process(target=_child, args=(work, task))
                process.start()
                running[process.sentinel] = process, task
            for sentinel in wait(list(running)):
                process, task = running.pop(sentinel)
                process.join()
                yield task, process.exitcode
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.join()


def _child(work, task):
    end_on_signals()
    try:
        end_with(multiprocessing.parent_process().pid, signal.SIGTERM)
        done = work(task)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:  # of what it prints: the parent will notice the same
        raise SystemExit(unread()) from None
    raise SystemExit(0 if done else NOT_WELL)
