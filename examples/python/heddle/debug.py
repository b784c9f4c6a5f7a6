"""Debugs kernels from Python: runs to a line, and reads a value of all threads.

    from heddle.debug import Session

    with Session("launch.json") as s:               # or Session(["./program"])
        s.breakpoint("kernel.cu:16", "blockIdx.x == 1")
        stop = s.run()
        assert stop.line == 16
        s.array("*(float *)param_0 + threadIdx.x")  # one value for each thread

A session is one of ptx-debug, whose commands docs/debugging.md explains; any of
them may be given to `command`. What ptx-debug says is JSON.
"""
from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess

__all__ = ["DebugError", "Session", "Stop"]

END = "\x01end"  # What no kernel's name or source line is.


class DebugError(RuntimeError):
    """A command that failed, with what ptx-debug said."""


@dataclasses.dataclass(frozen=True)
class Stop:
    """Where a kernel stands still."""

    kernel: int  # Its number, from 0 on, in the order of the launches.
    name: str
    grid: tuple
    block: tuple
    block_index: tuple
    thread_index: tuple
    warp: int
    lane: int
    frames: tuple  # Innermost first: dicts with function, file, line, pc.
    fault: dict | None = None  # Its kind and message, if there is one.

    @property
    def file(self):
        return self.frames[0]["file"]

    @property
    def line(self):
        return self.frames[0]["line"]

    @property
    def function(self):
        return self.frames[0]["function"]


def find_tool(tools):
    """The program ptx-debug: in a folder, or where a shell would find it."""
    if tools:
        return os.path.join(tools, "ptx-debug")
    found = shutil.which("ptx-debug")
    if not found:
        raise FileNotFoundError("there is no ptx-debug on PATH; tools= names its folder")
    return found


class Session:
    """A program under the debugger: a manifest, or a command line.

    `options` are further options of ptx-debug, such as "-O0"; `tools` is the
    folder that ptx-debug is in, if that is not on PATH.
    """

    def __init__(self, program, options=(), tools=None):
        line = [program] if isinstance(program, (str, os.PathLike)) else list(program)
        self.process = subprocess.Popen(
            [find_tool(tools), *options, "--", *map(os.fspath, line)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the program and the debugger."""
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.stdout.read()
            self.process.wait()
        self.process.stdout.close()

    def command(self, text):
        """Carries out a command, and returns what it and the program print."""
        if "\n" in text:
            raise ValueError("a command is one line")
        try:
            self.process.stdin.write("%s\necho %s\\n\n" % (text, END))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise DebugError("the debugger has ended") from None
        lines = []
        for line in self.process.stdout:
            # The program's own output may stand in front, without an end of line.
            if line.rstrip("\n").endswith(END):
                lines.append(line.rstrip("\n")[: -len(END)])
                return "".join(lines)
            lines.append(line)
        raise DebugError("the debugger has ended: " + "".join(lines))

    def _json(self, query):
        answer = self.command("json " + query)
        for line in answer.splitlines():
            if line.startswith("{"):
                return json.loads(line)
        raise DebugError(answer.strip())

    def breakpoint(self, location, condition=None):
        """Stops in front of a function, `FILE:LINE` or `*ADDRESS`; returns its number."""
        answer = self.command("break %s%s" % (location, " if " + condition if condition else ""))
        for line in answer.splitlines():
            words = line.split()
            if words[:1] == ["Breakpoint"] and words[1].isdigit():
                return int(words[1])
        raise DebugError(answer.strip())

    def stop(self):
        """Where the kernel stands, or None if none does."""
        answer = self._json("stop")
        if answer.pop("over"):
            return None
        answer.pop("cta")
        for key in ("grid", "block", "block_index", "thread_index", "frames"):
            answer[key] = tuple(answer[key])
        return Stop(**answer)

    def _resume(self, command):
        self.output = self.command(command)
        return self.stop()

    def run(self):
        """Starts the program. What the program and the debugger print is `output`."""
        return self._resume("run")

    def resume(self):
        """Runs on to where something stops it; None at the end."""
        return self._resume("continue")

    def step(self, count=1):
        return self._resume("step %d" % count)

    def next(self, count=1):
        return self._resume("next %d" % count)

    def finish(self):
        return self._resume("finish")

    def back(self, count=1):
        """Goes back by lines, over functions that were called."""
        return self._resume("reverse-next %d" % count)

    def focus(self, block=None, thread=None):
        """Chooses the thread that the rest is about."""
        words = ["cuda"]
        for name, place in (("block", block), ("thread", thread)):
            if place is not None:
                words += [name, ",".join(map(str, place if isinstance(place, tuple) else (place,)))]
        answer = self.command(" ".join(words))
        if "Switching focus" not in answer:
            raise DebugError(answer.strip())
        return self.stop()

    def values(self, expression, of="lanes"):
        """The values of an expression, one for each thread of the warp, or of the
        `block`; None for a thread that has exited."""
        return [
            float(v) if isinstance(v, str) else v for v in self._json("%s %s" % (of, expression))["values"]
        ]

    def value(self, expression):
        """The value in the thread that is in focus."""
        return self.values(expression)[self.stop().lane]

    def array(self, expression, of="block"):
        """The same as a NumPy array, with those masked that have exited: of a block
        in its shape, z first."""
        import numpy

        answer = self._json("%s %s" % (of, expression))
        values = [float(v) if isinstance(v, str) else v for v in answer["values"]]
        dtype = numpy.dtype(answer["dtype"])
        array = numpy.ma.masked_array(
            numpy.array([0 if v is None else v for v in values], dtype=dtype), mask=[v is None for v in values]
        )
        return array.reshape(self.stop().block[::-1]) if of == "block" else array
