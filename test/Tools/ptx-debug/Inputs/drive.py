"""Drives sessions from Python.

usage: drive.py INPUTS SOURCES
"""
import os
import sys

from heddle.debug import DebugError, Session

inputs, sources = sys.argv[1:3]


def expect_error(action, text):
    try:
        action()
    except DebugError as error:
        assert text in str(error), error
    else:
        raise AssertionError("no error: " + text)


def manifest():
    with Session(os.path.join(inputs, "reverse.json"), ["-O0", "-directory", sources]) as s:
        assert s.stop() is None
        expect_error(lambda: s.values("threadIdx.x"), "no kernel is being run")
        assert s.breakpoint("several.cu:37", "threadIdx.x == 40") == 1
        stop = s.run()
        assert (stop.line, stop.thread_index, stop.block) == (37, (40, 0, 0), (128, 1, 1)), stop
        assert stop.function.startswith("reverse") and stop.fault is None
        assert s.values("threadIdx.x") == list(range(32, 64))
        # Twice the least of 2 and a quarter of what is at the other end.
        assert s.value("*((float *)param_0 + threadIdx.x)") == 10
        block = s.values("((@shared float *)0)[127 - threadIdx.x]", of="block")
        assert len(block) == 128
        assert all(v is None or v == min(2, (127 - i) / 4) for i, v in enumerate(block)), block
        assert s.focus(thread=70).thread_index == (70, 0, 0)
        expect_error(lambda: s.focus(thread=128), "no thread (128,0,0)")
        expect_error(lambda: s.values("nothing"), 'No symbol "nothing"')
        assert s.next().line == 38
        assert s.back().line == 37
        s.command("delete")
        assert s.resume() is None
        assert "what it expects holds" in s.output


def variables():
    with Session(os.path.join(inputs, "variables.json"), ["-O0"]) as s:
        s.breakpoint("variables.cu:68", "threadIdx.x == 5")
        s.run()
        assert s.values("i") == list(range(32))
        assert s.values("p.position[1]") == [1.5 + i for i in range(32)]
        assert s.values("total") == [i * (i - 1) for i in range(32)]
        expect_error(lambda: s.values("p"), "is no number")


def program():
    with Session([sys.executable, os.path.join(inputs, "program.py"), os.path.join(inputs, "increment.ptx")]) as s:
        s.breakpoint("increment")
        first = s.run()
        assert (first.kernel, first.name, first.grid) == (0, "increment", (2, 1, 1)), first
        s.command("delete")
        fault = s.resume()
        assert fault.fault["kind"] == "out-of-bounds" and fault.thread_index == (1, 0, 0), fault
        assert s.resume() is None
        assert "launch 700" in s.output and "exited with code 3" in s.output, s.output


def arrays():
    try:
        import numpy
    except ImportError:
        return
    with Session(os.path.join(inputs, "reverse.json"), ["-O0"]) as s:
        s.breakpoint("reverse")
        s.run()
        array = s.array("*((float *)param_0 + threadIdx.x)")
        assert array.shape == (1, 1, 128) and array.dtype == numpy.float32
        assert (array.ravel() == numpy.arange(128) / 4).all()
        assert s.array("laneid", of="lanes").dtype == numpy.uint32


def former_name():
    import heddle_debug
    assert heddle_debug.Session is Session


manifest()
variables()
program()
arrays()
former_name()
print("PASS")
