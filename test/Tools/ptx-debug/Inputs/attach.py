"""Attaches the debugger to a program that waits for it.

usage: attach.py INPUTS
"""
import os
import subprocess
import sys

inputs = sys.argv[1]


def start():
    """A program that waits, and its process."""
    program = subprocess.Popen(
        ["ptx-env", "--debug-wait", "--", sys.executable, os.path.join(inputs, "program.py"),
         os.path.join(inputs, "increment.ptx")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    line = program.stderr.readline()
    words = line.split()
    assert words[:2] == ["heddle:", "process"] and line.endswith("waits for ptx-debug --attach %s\n" % words[2]), line
    return program, words[2]


def attach(process, *commands):
    line = ["ptx-debug", "-batch", "--attach", process]
    for command in commands:
        line += ["-ex", command]
    return subprocess.run(line, capture_output=True, text=True)


def run_on():
    program, process = start()
    result = attach(process, "break increment if blockIdx.x == 1 && threadIdx.x == 3", "run", "print threadIdx.x",
                    "delete", "continue", "continue")
    text = result.stdout
    assert "Breakpoint 1, increment<<<" in text and "$1 = 3\n" in text, text + result.stderr
    assert "[Inferior 1 (process %s) has ended]\n" % process in text, text
    program.communicate()
    assert program.returncode == 3, program.returncode


def kill():
    program, process = start()
    text = attach(process, "catch launch", "run", "kill").stdout
    assert "Catchpoint 1 (launch of kernel 0), increment<<<" in text, text
    assert "[Inferior 1 (process %s) killed]\n" % process in text, text
    program.communicate()
    assert program.returncode == -9, program.returncode


def leave():
    """The program goes on, with its other kernels as without a debugger."""
    program, process = start()
    text = attach(process, "catch launch", "run", "detach", "detach").stdout
    assert "Catchpoint 1 (launch of kernel 0), increment<<<" in text, text
    assert "[Inferior 1 (process %s) detached]\nthe program is not being run\n" % process in text, text
    program.communicate()
    assert program.returncode == 3, program.returncode


def by_command():
    """Without a program on the command line."""
    program, process = start()
    line = ["ptx-debug", "-batch", "-ex", "run", "-ex", "attach x", "-ex", "attach " + process]
    text = subprocess.run([*line, "-ex", "break increment", "-ex", "run", "-ex", "attach 1", "-ex", "kill"],
                          capture_output=True, text=True).stdout
    assert text.startswith("there is no program; see attach\nattach takes the number of a process"), text
    assert "Process %s is chosen" % process in text and "Breakpoint 1, increment<<<" in text, text
    assert "a program is being run" in text and "killed]\n" in text, text
    program.communicate()
    assert program.returncode == -9, program.returncode


def own():
    """A program that the debugger has started ends by itself, and then the debugger does."""
    result = subprocess.run(
        ["ptx-debug", "-batch", "-ex", "catch launch", "-ex", "run", "-ex", "detach", sys.executable, "-c",
         "import runpy, sys; sys.argv = sys.argv[1:]\n"
         "try: runpy.run_path(sys.argv[0], run_name='__main__')\n"
         "finally: print('the program is over')",
         os.path.join(inputs, "program.py"), os.path.join(inputs, "increment.ptx")],
        capture_output=True, text=True)
    assert "detached]\n" in result.stdout and "the program is over" in result.stdout, result


def while_it_runs():
    """A program that launches until it is told to end: a debugger comes, leaves, and another one comes."""
    program = subprocess.Popen(
        ["ptx-env", "--debug-attach", "--", sys.executable, os.path.join(inputs, "launches.py"),
         os.path.join(inputs, "increment.ptx")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "launching\n"
    process = str(program.pid)
    text = attach(process, "break increment if blockIdx.x == 1 && threadIdx.x == 3", "run", "print threadIdx.x",
                  "continue", "print blockIdx.x", "detach").stdout
    assert text.count("Breakpoint 1, increment<<<") == 2 and "$1 = 3\n" in text and "$2 = 1\n" in text, text
    assert "[Inferior 1 (process %s) detached]\n" % process in text, text
    text = attach(process, "catch launch", "run", "info cuda kernels", "detach").stdout
    assert "Catchpoint 1 (launch of kernel" in text and "increment" in text, text
    program.stdin.close()
    assert program.stdout.read() == "right\n" and program.wait() == 0


def refuse():
    gone = subprocess.Popen(["true"])
    gone.wait()
    for process, why in ((str(gone.pid), "there is no process"), (str(os.getpid()), "does not wait for a debugger")):
        result = attach(process, "run")
        assert why in result.stdout + result.stderr, result
    assert "is not the number of a process" in attach("x").stderr


run_on()
kill()
leave()
by_command()
own()
while_it_runs()
refuse()
print("PASS")
