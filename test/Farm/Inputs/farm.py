"""A farm for tests: starts ptx-farm, sends it requests as the client does, and runs
programs that compile by it."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

SAXPY = pathlib.Path(sys.argv[1])


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def message(source, *options):
    """A request to compile, as CompileMessages.h has it."""
    return (struct.pack("<Q", len(options)) + b"".join(map(text, options)) + text("<test>") + struct.pack("<Q", 0)
            + text(source))


class Connection(http.client.HTTPConnection):
    """HTTP over the farm's socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Farm:
    """A farm that serves at a socket, and at the loopback, with a cache of its own."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.path = str(self.folder / "farm")
        self.environment = {**os.environ, "HEDDLE_CACHE_MODE": "on", "HEDDLE_CACHE_DIR": str(self.folder / "cache")}
        self.process = subprocess.Popen(["ptx-farm", "serve", *options, f"unix:{self.path}", "http://127.0.0.1:0"],
                                        env=self.environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == f"serving at unix:{self.path}\n"
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def status(self, *options):
        done = subprocess.run(["ptx-farm", "status", *options, f"unix:{self.path}"], capture_output=True, text=True,
                              check=True)
        return json.loads(done.stdout)

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition(self.status()):
            assert time.monotonic() < end, self.status()
            time.sleep(0.02)

    def send(self, body, **fields):
        """An answer's status and text."""
        connection = Connection(self.path)
        fields = {"Heddle-Build": self.status()["build"], **{k.replace("_", "-"): v for k, v in fields.items()}}
        connection.request("POST", "/compile", body, fields)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def workers(self):
        found = subprocess.run(["ps", "--ppid", str(self.process.pid), "-o", "pid=,comm="], capture_output=True,
                               text=True, check=False).stdout
        return [int(line.split()[0]) for line in found.splitlines()]

    def client(self, cache, source, *options, program="ptx-compile", **settings):
        """A program that compiles by the farm, with an empty cache of its own."""
        environment = {**self.environment, "HEDDLE_CACHE_DIR": str(self.folder / cache),
                       "HEDDLE_CACHE_FARM": f"unix:{self.path}",
                       **{f"HEDDLE_CACHE_{name.upper()}": value for name, value in settings.items()}}
        return subprocess.Popen([program, *options, str(source), "-o", str(self.folder / f"{cache}.hdo")],
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def counters(self, cache):
        """What the cache of a client has counted."""
        said = subprocess.run(["ptx-cache", f"--dir={self.folder / cache}", "stats"], capture_output=True, text=True,
                              check=True).stdout
        return {words[0]: int(words[1]) for words in map(str.split, said.splitlines())
                if len(words) > 1 and words[1].isdigit()}

    def object(self, cache):
        return (self.folder / f"{cache}.hdo").read_bytes()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0


@contextlib.contextmanager
def farm(*options):
    # The name of a socket has little room.
    with tempfile.TemporaryDirectory(prefix="farm-") as folder:
        serving = Farm(folder, *options)
        try:
            yield serving
        finally:
            if serving.process.poll() is None:
                serving.stop()


def finish(*programs):
    """Their outputs; each has to succeed."""
    said = []
    for program in programs:
        text, _ = program.communicate(timeout=600)
        assert program.returncode == 0, text
        said.append(text)
    return said


def variant(folder, number):
    """saxpy, as a kernel of another name."""
    path = pathlib.Path(folder) / f"variant{number}.ptx"
    path.write_text(SAXPY.read_text(encoding="utf-8").replace("saxpy", f"saxpy{number}"), encoding="utf-8")
    return path


def long_input(folder, length=30_000):
    """A kernel that takes seconds to compile: a chain of additions and xors."""
    lines = [f"add.u32 %r1, %r1, %r{2 + i % 7}; xor.b32 %r{2 + i % 7}, %r1, {i};" for i in range(length)]
    path = pathlib.Path(folder) / "long.ptx"
    path.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry long(.param .u64 p) {\n"
                    ".reg .b32 %r<10>; .reg .b64 %d<3>;\nld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n"
                    + "\n".join(f"mov.u32 %r{i}, %ctaid.x;" for i in range(2, 9)) + "\n" + "\n".join(lines)
                    + "\nst.global.u32 [%d1], %r1;\nret;\n}\n", encoding="utf-8")
    return path
