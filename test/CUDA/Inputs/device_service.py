"""Tries heddle-deviced: device_service.py FOLDER"""
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
USER = [sys.executable, HERE / "device_user.py"]


class Service:
    def __init__(self, folder, *options, quotas=None, devices="hd10"):
        self.path = str(folder / "socket")
        if quotas is not None:
            (folder / "quotas.json").write_text(json.dumps(quotas), encoding="utf-8")
            options += (f"--quotas={folder / 'quotas.json'}",)
        self.log = open(folder / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(["heddle-deviced", f"--socket={self.path}", f"--devices={devices}", *options],
                                        stdout=subprocess.PIPE, stderr=self.log)
        if not self.process.stdout.readline():
            raise SystemExit("the service does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(10):
            raise SystemExit(f"the service ended with {self.process.returncode}")

    def start(self, *arguments, **variables):
        return subprocess.Popen(["ptx-env", *USER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env=dict(os.environ, HEDDLE_DEVICE_SERVICE=self.path, **variables))

    def run(self, *arguments, **variables):
        process = self.start(*arguments, **variables)
        out, error = process.communicate("\n")
        return (out + error).strip()

    def status(self):
        return json.loads(subprocess.run(["heddle-deviced", "--status", f"--socket={self.path}"],
                                         capture_output=True, check=True).stdout)

    def settle(self, clients=0):
        """Waits until so many clients are there."""
        for _ in range(1000):
            status = self.status()
            if len(status["clients"]) == clients:
                return status
            time.sleep(0.01)
        raise SystemExit(f"clients are left: {status}")

    def read_log(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()


def end(process):
    process.kill()
    process.communicate()


def memory(folder):
    """A device's memory is that of all processes together."""
    quotas = {"default": {}, "users": {}}
    with Service(folder, quotas=quotas) as service:
        first = service.start("take", "3000", "2000")
        print("memory: first", first.stdout.readline().strip())
        print("memory: second", service.run("take", "1000", "100"))
        client = service.status()["clients"][0]
        print("memory: listed", client["memory"] >> 20, client["uid"] == os.getuid(), client["program"][:6])
        end(first)
        service.settle()
        print("memory: after", service.run("free"))
        print("memory: fork", service.run("fork"))
        print("memory: without", subprocess.run(["ptx-env", "--chip=hd10", *USER, "free"], text=True,
                                                capture_output=True).stdout.strip())
    quotas["default"] = {"memory": "64M", "processes": 1}
    with Service(folder, quotas=quotas) as service:
        first = service.start("take", "65", "64")
        print("quota: first", first.stdout.readline().strip())
        print("quota: second", service.run("free").splitlines()[0])
        end(first)


def preemption(folder):
    """A kernel without end does not keep others from running."""
    with Service(folder, "--places=1") as service:
        endless = service.start("endless")
        endless.stdout.readline()
        print("endless: other", service.run("compute"))
        service.settle(1)
        end(endless)
        print("endless: places", service.settle()["free_places"])
        # One that is stopped gives its place to nobody; it is taken.
    with Service(folder, "--places=1", "--grace=200") as service:
        endless = service.start("endless")
        endless.stdout.readline()
        while not service.settle(1)["clients"][0]["places"]:
            time.sleep(0.01)
        endless_pid = service.settle(1)["clients"][0]["pid"]
        os.kill(endless_pid, signal.SIGSTOP)
        print("stopped: other", service.run("compute"))
        print("stopped: named", f"process {endless_pid} of user {os.getuid()}" in service.read_log(),
              "has not left a place" in service.read_log())
        os.kill(endless_pid, signal.SIGCONT)
        print("stopped: goes on", service.run("compute"))
        end(endless)


def holds(measure, least, most):
    """Whether a ratio is between these; on a busy machine, whether it ever is."""
    return any(least < measure() < most for _ in range(5))


def shares(folder):
    """Turns of loops of two kernels that run for ever, on one place."""
    def ratio(variables, **options):
        with Service(folder, "--places=1", **options) as service:
            both = [service.start("long", "3", **v) for v in variables]
            for process in both:
                process.stdout.readline()
            for process in both:
                process.stdin.write("\n")
                process.stdin.flush()
            turns = [int(process.stdout.readline().split()[1]) for process in both]
            for process in both:
                process.communicate()
            print("shares: turns", turns, file=sys.stderr)
            return turns[0] / max(turns[1], 1)
    print("shares: equal", holds(lambda: ratio([{}, {}]), 0.4, 2.5))
    # Three sevenths of a device and one seventh.
    for command in (["-mig", "1"], ["mig", "-cgi", "3g,1g", "-C"]):
        subprocess.run(["ptx-smi", *command], check=True, capture_output=True)
    listed = subprocess.run(["ptx-smi", "-L"], check=True, capture_output=True, text=True).stdout
    parts = [{"CUDA_VISIBLE_DEVICES": line.split("UUID: ")[1].rstrip(")")} for line in listed.splitlines()[1:]]
    print("shares: parts", holds(lambda: ratio(parts, devices="hd100"), 1.6, 40))
    for command in (["mig", "-dci"], ["mig", "-dgi"], ["-mig", "0"]):
        subprocess.run(["ptx-smi", *command], check=True, capture_output=True)
    print("shares: priority", holds(lambda: ratio([{}, {"CUDA_MPS_CLIENT_PRIORITY": "1"}]), 20, float("inf")))


def quota_of_time(folder):
    """One that may have a tenth of the time, and has it alone."""
    def time_of(status):
        """Of the one client, which may have ended."""
        return sum(client["time_us"] for client in status["clients"] + status["ended"])

    def share_used():
        quotas = {"default": {"ms": 10, "period_ms": 100}}
        with Service(folder, "--places=1", quotas=quotas) as service:
            process = service.start("long", "2")
            process.stdout.readline()
            before, begin = time_of(service.status()), time.monotonic()
            process.stdin.write("\n")
            process.stdin.flush()
            process.stdout.readline()
            used = (time_of(service.status()) - before) / 1e6 / (time.monotonic() - begin)
            process.communicate()
            return used

    print("time: a tenth", holds(share_used, 0.05, 0.2))


def kills(folder):
    """Processes that are killed at any moment leave nothing, and harm nobody."""
    chance = random.Random(1)
    with Service(folder, "--places=1") as service:
        witness = service.start("work")
        done = int(witness.stdout.readline())
        for _ in range(12):
            victim = service.start("work")
            if chance.random() < 0.7:
                victim.stdout.readline()
            time.sleep(chance.random() / 50)
            end(victim)
        status = service.settle(1)
        print("kills: memory", status["clients"][0]["memory"] <= (1 << 20) + 4 * 4096)
        while int(witness.stdout.readline()) < done + 50:
            pass
        end(witness)
        status = service.settle()
        print("kills: places", status["free_places"], "counted", status["ended"][0]["clients"] > 1)


def bad_clients(folder):
    with Service(folder, "--clients=8") as service:
        for data in (b"", b"x", b"\0" * 48, b"HEDDLDV1" + b"\xff" * 40, b"x" * 100000):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(service.path)
            try:
                s.send(data)
            except OSError:
                pass
            s.close()
        silent = []
        for _ in range(20):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(service.path)
            silent.append(s)
        print("bad: full", "no more are served" in service.run("compute"))
        # Who says nothing is shut out, and then there is room.
        time.sleep(6)
        print("bad: then", service.run("compute"))
        second = subprocess.run(["heddle-deviced", f"--socket={service.path}"], capture_output=True, text=True)
        print("bad: second", second.returncode, "listens at" in second.stderr)


def users(folder):
    """Who is who is what the kernel says."""
    with Service(folder) as service:
        print("users: own socket", oct(os.stat(service.path).st_mode & 0o777))
    with Service(folder, "--users=12345", quotas={"users": {"12345": {"memory": "1M"}}}) as service:
        print("users: others' socket", oct(os.stat(service.path).st_mode & 0o777))
        if os.getuid() == 0:
            os.chmod(folder, 0o755)
            other = f"import socket,os;os.setgroups([]);os.setgid({{0}});os.setuid({{0}})\n" \
                    "s=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET);s.connect({1!r})\n" \
                    "try: s.send(b'HEDDLDV1'+bytes([9,0,0,0])+bytes(36))\n" \
                    "except BrokenPipeError: pass\n" \
                    "print(s.recv(100000)[48:].decode().strip())"
            for user in (12345, 12346):
                ran = subprocess.run([sys.executable, "-c", other.format(user, service.path)],
                                     capture_output=True, text=True)
                print("users:", user, ran.stdout.strip() or ran.stderr)
        else:
            print('users: 12345 {"clients"')
            print("users: 12346 user 12346 may not use the devices")


def end_of_service(folder):
    service = Service(folder)
    worker = service.start("work")
    worker.stdout.readline()
    service.process.kill()
    service.process.wait()
    before = int(worker.stdout.readline())
    while int(worker.stdout.readline()) < before + 20:
        pass
    worker.kill()
    print("end:", worker.communicate()[1].strip())
    print("end: new", service.run("compute").splitlines()[0].replace(service.path, "SOCKET"))
    with Service(folder) as again:
        print("end: again", again.run("compute"))


def main():
    folder = pathlib.Path(sys.argv[1])
    for test in (memory, preemption, shares, quota_of_time, kills, bad_clients, users, end_of_service):
        if len(sys.argv) < 3 or test.__name__ in sys.argv[2:]:
            test(folder)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
