"""The network between clients, a farm and its remote is cut, as switches and cables do it:
nobody is told, bytes just do not come any more."""
import http.server
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time

from farm import SAXPY, Farm, farm, finish, long_input, variant


class Wire:
    """What is sent to its port goes to another one, unless it is cut."""

    def __init__(self, port):
        self.target, self.is_cut = port, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            threading.Thread(target=self.carry, args=[near], daemon=True).start()

    def carry(self, near):
        """Of one connection; nobody hears of its end while the wire is cut."""
        while self.is_cut:
            time.sleep(0.02)
        far = socket.create_connection(("127.0.0.1", self.target))
        other = {near: far, far: near}
        while True:
            for side in select.select([near, far], [], [], 0.02)[0] if not self.is_cut else ():
                data = side.recv(65536)
                if not data:
                    near.close()
                    far.close()
                    return
                other[side].sendall(data)
            if self.is_cut:
                time.sleep(0.02)


class Store(http.server.BaseHTTPRequestHandler):
    """A remote that keeps what it is given."""
    kept = {}
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def give(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        found = self.kept.get(self.path)
        self.give(200 if found else 404, found or b"")

    def do_PUT(self):
        self.kept[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.give(201)


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def uploads():
    """How much the remote has when all is there that comes."""
    known = 0
    while not known or known != len(Store.kept):
        known = len(Store.kept)
        time.sleep(1)
    return known


def compiled_alone(folder, source, *options):
    out = folder / "alone.hdo"
    subprocess.run(["ptx-compile", "--no-cache", *options, source, "-o", out], check=True)
    return out.read_bytes()


def cut_from_the_farm():
    """Clients that do not hear of the farm any more compile by themselves; others do not notice."""
    with farm("--workers=2") as serving:
        wire = Wire(serving.port)
        far = {"farm": f"http://127.0.0.1:{wire.port}", "farm_silence": "3000"}
        slow = long_input(serving.folder, 60_000)
        # While it compiles, a farm is heard, also by those who wait for what another one has asked for.
        begin = time.monotonic()
        finish(*(serving.client(f"heard{i}", slow, "-O1", **far) for i in range(2)))
        took = time.monotonic() - begin
        counted = serving.status()
        assert counted["compiled"] == 1 and serving.counters("heard0")["farm_made"] == 1, counted
        assert serving.counters("heard1")["farm_made"] == 1, counted
        # Then it is heard no more.
        cut = serving.client("cut", slow, "-O2", **far)
        serving.until(lambda now: now["compiling"] == 1)
        wire.is_cut = True
        finish(serving.client("near", SAXPY), serving.client("unheard", variant(serving.folder, 1), **far), cut)
        assert serving.counters("near")["farm_made"] == 1
        for name in ("cut", "unheard"):
            assert serving.counters(name)["farm_timeout"] == 1, serving.counters(name)
        assert serving.object("cut") == compiled_alone(serving.folder, slow, "-O2")
        # The farm has nothing left of them, and what it compiled for them is there when the wire is whole.
        serving.until(lambda now: now["accepted"] == 0, 60 + 3 * took)
        wire.is_cut = False
        finish(serving.client("whole", slow, "-O2", **far))
        assert serving.counters("whole")["farm_made"] == 1, serving.counters("whole")
        assert serving.object("whole") == serving.object("cut")


def cut_from_the_remote():
    """A farm without its remote compiles, loses workers, and has the remote again when it is there."""
    remote = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=remote.serve_forever, daemon=True).start()
    wire = Wire(remote.server_address[1])
    settings = [f"--cache-set={setting}" for setting in
                (f"remotes=http://127.0.0.1:{wire.port}", "remote_timeout=500", "remote_cool_down=1")]
    with farm("--workers=1", *settings) as serving:
        finish(serving.client("first", SAXPY, "-O3"))
        known = uploads()
        wire.is_cut = True
        slow = long_input(serving.folder)
        compiling = serving.client("killed", slow, "-O1")
        serving.until(lambda now: now["compiling"] == 1)
        time.sleep(0.3)
        for worker in serving.workers():
            os.kill(worker, signal.SIGKILL)
        begin = time.monotonic()
        finish(compiling, *(serving.client(f"meanwhile{i}", variant(serving.folder, i)) for i in range(4)))
        counted = serving.status()
        assert counted["compiled"] == 6 and counted["workers_lost"] == 1 and counted["failed"] == 0, counted
        for name in ("killed", *(f"meanwhile{i}" for i in range(4))):
            assert serving.counters(name)["farm_made"] == 1, (name, time.monotonic() - begin)
        assert len(Store.kept) == known
        # When it is there again, another host has what this one made. What the farm gave up is still on the
        # wire, and comes first.
        wire.is_cut = False
        time.sleep(1.5)
        known = uploads()
        finish(serving.client("later", variant(serving.folder, 5)))
        until(lambda: len(Store.kept) > known)
        uploads()
        with tempfile.TemporaryDirectory(prefix="farm-") as elsewhere:
            other = Farm(elsewhere, *settings)
            finish(other.client("again", variant(elsewhere, 5)), other.client("first", SAXPY, "-O3"))
            counted = other.status()
            other.stop()
            assert counted["found"] == 2 and counted["compiled"] == 0, counted
    remote.shutdown()


cut_from_the_farm()
cut_from_the_remote()
print("whole again")
