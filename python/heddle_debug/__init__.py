"""Debugs kernels from Python: runs to a line, and reads a value of all threads.

    from heddle_debug import Session

    with Session("launch.json") as s:               # or Session(["./program"])
        s.breakpoint("kernel.cu:16", "blockIdx.x == 1")
        stop = s.run()
        assert stop.line == 16
        s.array("*(float *)param_0 + threadIdx.x")  # one value for each thread

A session is one of ptx-debug, whose commands docs/debugging.md explains; any of
them may be given to `command`.
"""
from heddle_debug.session import DebugError, Session, Stop

__all__ = ["DebugError", "Session", "Stop"]
