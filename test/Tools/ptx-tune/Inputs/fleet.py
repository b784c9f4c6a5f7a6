#!/usr/bin/env python3
"""Runs a search with workers that are killed, and compares with one process.

usage: fleet.py SERVERS-FOLDER MANIFEST PREFIX
"""
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

SERVERS, MANIFEST, PREFIX = sys.argv[1:]
sys.path.insert(0, SERVERS)
import servers  # noqa: E402

ARGUMENTS = [MANIFEST, "--evaluations", "40", "--seed", "3", "--json"]
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        print("failed: " + what)


class Client:
    """What the test asks the server."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), 10)
        self.file = self.connection.makefile("rb")

    def ask(self, *words):
        request = b"*%d\r\n" % len(words)
        for word in words:
            request += b"$%d\r\n%s\r\n" % (len(word), word.encode())
        self.connection.sendall(request)
        return self.reply()

    def reply(self):
        line = self.file.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode()
        return int(rest) if kind == b":" else rest.decode()

    def key(self, kind):
        return next(iter(self.ask("KEYS", "heddle:tune:*:" + kind + "*")), "none")

    def busy(self):
        """Process numbers of the workers that have a job."""
        reply = self.ask("XPENDING", self.key("jobs"), "workers")
        rows = reply[3] if isinstance(reply, list) and reply[0] else []
        return {int(name.split("-")[-2]) for name, count in rows if int(count)}


def start(port, *arguments, **options):
    return subprocess.Popen(["ptx-tune", *arguments, "--queue", "redis://127.0.0.1:%d" % port],
                            **options)


def kill_at_work(client, worker, searching):
    """Kills a worker that surely has a job; false if the search ended before."""
    while searching.poll() is None and worker.poll() is None:
        if worker.pid in client.busy():
            os.kill(worker.pid, signal.SIGSTOP)
            if worker.pid in client.busy():  # it did not report just then
                worker.kill()
                worker.wait()
                return True
            os.kill(worker.pid, signal.SIGCONT)
        time.sleep(0.005)
    return False


def search(port, output, **options):
    return start(port, *ARGUMENTS, "--output", output, stdout=subprocess.PIPE, **options)


def essence(report):
    """What does not depend on time."""
    kernels = json.loads(report)["kernels"]
    return [{name: value for name, value in kernel.items() if name != "seconds"}
            for kernel in kernels]


def contents(path):
    with open(path) as file:
        return file.read()


def main():
    signal.alarm(300)  # nothing here may wait for ever
    alone = subprocess.run(["ptx-tune", *ARGUMENTS, "--output", PREFIX + ".alone"], check=True,
                           stdout=subprocess.PIPE)
    with servers.redis() as port, contextlib.ExitStack() as workers:
        client = Client(port)

        def add_worker():
            worker = start(port, "worker", "--lease", "1")
            workers.callback(worker.wait)
            workers.callback(worker.kill)
            return worker

        fleet = [add_worker() for _ in range(3)]
        searching = search(port, PREFIX + ".fleet")
        check(kill_at_work(client, fleet[0], searching), "a worker died with a job")
        check(kill_at_work(client, fleet[1], searching), "and another one")
        add_worker()
        report, _ = searching.communicate(timeout=300)
        check(searching.returncode == 0, "the search ended well")
        check(contents(PREFIX + ".fleet") == contents(PREFIX + ".alone"), "the same document")
        check(essence(report) == essence(alone.stdout), "by the same way")
        check(client.ask("XLEN", client.key("jobs")) == 0 and not client.busy(), "no job is left")
        results = client.ask("HLEN", client.key("results"))

        # A search that is killed and repeated has what was measured, and no job
        # is done again.
        client.ask("DEL", client.key("results"))
        searching = search(port, PREFIX + ".killed")
        while searching.poll() is None and client.ask("HLEN", client.key("results")) < 10:
            time.sleep(0.005)
        searching.kill()
        searching.wait()
        searching = search(port, PREFIX + ".again")
        searching.communicate(timeout=300)
        check(contents(PREFIX + ".again") == contents(PREFIX + ".alone"), "the same when repeated")
        check(client.ask("HLEN", client.key("results")) == results, "each result once")
        check(client.ask("XLEN", client.key("jobs")) == 0, "no job is left then")
    print(checks, "checks")


main()
