"""What a program started by ptx-env with --dashboard, and who asks the dashboard, can rely on.

usage: dashboard.py PTX
"""
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import openmetrics  # noqa: E402

SCALE = "void scale<float, 4>(float*)"


class Live:
    """A program that does what it is told, under ptx-env with a dashboard. Used in a `with`."""

    def __init__(self, ptx, *options):
        program = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "live.py"), ptx]
        self.process = subprocess.Popen(["ptx-env", "--chip=hd10", "--dashboard=0", *options, *program],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        match = re.fullmatch(r"ptx-env: the dashboard is at (http://127\.0\.0\.1:(\d+)/)\n", said)
        assert match, said
        self.url, self.port = match[1], int(match[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        """Ends the program; returns the rest of what it has said."""
        rest, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, errors
        return rest, errors

    def ask(self, path, method="GET", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, headers=fields)
        answer = connection.getresponse()
        return answer, answer.read()

    def metrics(self):
        answer, body = self.ask("/metrics")
        assert answer.status == 200 and answer.getheader("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        return openmetrics.parse(body.decode())

    def state(self):
        return json.loads(self.ask("/state")[1])

    def wait(self, condition, what="state"):
        """Waits until a condition holds for the state, or for the metrics; returns them."""
        end = time.monotonic() + 60
        while not condition(value := getattr(self, what)()):
            assert time.monotonic() < end, value
            time.sleep(0.05)
        return value

    def is_served(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def raw(self, data):
        """All that is answered to some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(data)
            parts = []
            try:
                while part := connection.recv(65536):
                    parts.append(part)
            except ConnectionResetError:
                pass
            return b"".join(parts)


def value(metrics, family, **labels):
    name = family + ("_total" if metrics[family][0] == "counter" else "")
    return sum(number for (sample, pairs), number in metrics[family][3].items() if sample == name and set(labels.items()) <= set(pairs))


def wait_until_gone(live):
    end = time.monotonic() + 20
    while live.is_served():
        assert time.monotonic() < end, "the server stays"
        time.sleep(0.05)


def check_figures(live):
    """The figures of the page, those for collectors, and what the program did."""
    assert value(live.metrics(), "heddle_launches") == 0
    assert live.do("launch scale 5") == "done" and live.do("launch touch 2") == "done"
    metrics = live.wait(lambda m: value(m, "heddle_launches") == 7, "metrics")
    assert value(metrics, "heddle_launches", kernel=SCALE) == 5
    assert value(metrics, "heddle_launch_seconds", kernel=SCALE) > 0
    # Seven reads of memory in flight after each other are hundreds of cycles; five launches of them are alike.
    assert value(metrics, "heddle_launch_cycles", kernel=SCALE) > 5 * 4 * 50
    assert value(metrics, "heddle_warp_cycles") > value(metrics, "heddle_warp_cycles", state="long_scoreboard") > 0
    # 2 CTAs of 64 threads read 8 sectors each, four times: 64 sectors, five times. CTAs on one core may hit.
    assert value(metrics, "heddle_read_sectors", cache="L1") == 5 * 64, metrics["heddle_read_sectors"]
    assert value(metrics, "heddle_compilations") == 1
    before = value(metrics, "heddle_memory_bytes")
    assert live.do("allocate 1000000") == "done"
    live.wait(lambda m: value(m, "heddle_memory_bytes") == before + 1000000, "metrics")
    state = live.state()
    kernels = {kernel["name"]: kernel for kernel in state["kernels"]}
    assert set(kernels) == {SCALE, "touch(int*)"} and kernels[SCALE]["launches"] == 5
    assert state["memory"] == before + 1000000 and state["launches"] == 7 and not state["ended"]
    assert sum(kernel["ns"] for kernel in state["kernels"]) == state["ns"]
    assert state["instructions"] > 0 and "live.py" in state["program"]


def check_processes(live):
    """Children report too; what ended stays in the sums."""
    assert live.do("run launch scale 3") == "done"
    state = live.wait(lambda s: s["launches"] == 10)
    state = live.wait(lambda s: [p["running"] for p in s["processes"]] == [True, False])
    assert [process["launches"] for process in state["processes"]] == [7, 3]
    assert state["processes"][0]["process"] == live.process.pid and state["processes"][1]["memory"] == 0
    assert value(live.metrics(), "heddle_processes") == 1
    assert value(live.metrics(), "heddle_launches", kernel=SCALE) == 8
    # The server is no child that the program could wait for.
    assert live.do("wait") == "no children"


def check_events(live):
    """A stream has all samples, each once; a fault is there while the program goes on."""
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=60)
    connection.request("GET", "/events")
    answer = connection.getresponse()
    assert answer.status == 200 and answer.getheader("Content-Type") == "text/event-stream"

    def next_event():
        data, blank = answer.readline(), answer.readline()
        assert data.startswith(b"data: ") and blank == b"\n", (data, blank)
        return json.loads(data[len("data: "):])

    first = next_event()
    samples = first["samples"]
    assert samples[0][1] == 0 and first["launches"] == 10
    assert live.do("launch wrong 1").startswith("cuCtxSynchronize: ")
    while not (event := next_event())["faults"]:
        samples += event["samples"]
    samples += event["samples"]
    fault, = event["faults"]
    assert fault["kind"] == "null" and fault["kernel"] == "wrong(int*)" and fault["process"] == live.process.pid
    assert "live.ptx:35" in fault["text"], fault
    assert value(live.metrics(), "heddle_faults", kind="null") == 1
    times = [sample[0] for sample in samples]
    assert times == sorted(set(times))
    return next_event


def check_refusals(live):
    """What is no request of a client on this machine, and clients that say nothing."""
    silent = [socket.create_connection(("127.0.0.1", live.port)) for _ in range(20)]
    assert live.ask("/nothing")[0].status == 404
    assert live.ask("/metrics", "POST")[0].status == 405
    assert live.ask("/metrics", Host="evil.example")[0].status == 403
    assert live.ask("/metrics", Host="localhost:%d" % live.port)[0].status == 200
    assert live.ask("/metrics?x=1")[0].status == 200
    assert live.ask("/", **{"Accept-Encoding": "identity"})[0].status == 406
    page, body = live.ask("/", **{"Accept-Encoding": "gzip, br"})
    assert page.status == 200 and body[:2] == b"\x1f\x8b" and "default-src 'none'" in page.getheader("Content-Security-Policy")
    assert live.raw(b"GET /metrics HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert live.raw(b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert live.raw(b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 505 ")
    assert live.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 40000).startswith(b"HTTP/1.1 431 ")
    # Who does not know the secret reports nothing.
    assert live.raw(b'HEDDLE-REPORT 0\n{"process": 1}\n') == b""
    assert len(live.state()["processes"]) == 2
    for connection in silent:
        connection.close()
    # The port is one of the loopback alone.
    with open("/proc/net/tcp", encoding="ascii") as table:
        places = [line.split()[1] for line in table if line.split()[3] == "0A" and line.split()[1].endswith(":%04X" % live.port)]
    assert places == ["0100007F:%04X" % live.port], places


def check_errors(port):
    def run(*options):
        done = subprocess.run(["ptx-env", *options, "echo", "ran"], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr
    code, out, error = run("--dashboard=%d" % port)
    assert (code, out) == (1, "") and error == "ptx-env: error: cannot serve a dashboard at 127.0.0.1:%d: Address already in use\n" % port, error
    assert run("--dashboard=70000")[2] == "ptx-env: error: --dashboard takes a whole number, not '70000'\n"
    assert run("--dashboard=")[0] == 1
    code, out, error = run("--dashboard", "0")
    assert (code, out) == (0, "ran\n"), (code, out, error)


def main():
    ptx = sys.argv[1]
    openmetrics.check_itself()
    with Live(ptx) as live:
        check_figures(live)
        check_processes(live)
        next_event = check_events(live)
        check_refusals(live)
        check_errors(live.port)
        # A child that leaves the device alone does not keep the dashboard from its end, nor the process from ending.
        rest, errors = live.end()
        assert rest == "" and "null in kernel" in errors
        while not (event := next_event())["ended"]:
            pass
        assert event["launches"] == 11 and event["memory"] == 0 and not any(p["running"] for p in event["processes"])
        wait_until_gone(live)
    with Live(ptx) as live:
        assert live.do("launch touch 1") == "done" and live.do("fork") == "done"
        live.end()
        wait_until_gone(live)
    # A program that is killed, and one that reported nothing.
    with Live(ptx) as live:
        assert live.do("launch touch 1") == "done"
        live.process.kill()
        wait_until_gone(live)
    print("the dashboard is right")


if __name__ == "__main__":
    main()
