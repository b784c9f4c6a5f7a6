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
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
USER = HERE / "device_user.py"


class Service:
    def __init__(self, folder, *options, quotas=None, devices="hd10", path=None):
        self.path = str(path or folder / "socket")
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

    def start(self, *arguments, user=None, python=sys.executable, **variables):
        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        return subprocess.Popen(["ptx-env", python, USER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **identity,
                                env={**os.environ, "HEDDLE_DEVICE_SERVICE": self.path, **variables})

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
        holder = service.start("hold", "3000")
        print("memory: held", holder.stdout.readline().strip())
        print("memory: beside it", service.run("take", "2000", "1000"))
        end(holder)
        service.settle()
        print("memory: fork", service.run("fork"))
        print("memory: without", subprocess.run(["ptx-env", "--chip=hd10", sys.executable, USER, "free"], text=True,
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


def ratio_of_turns(folder, variables, *arguments, **options):
    """Of loops of two kernels that run for ever, on one place."""
    with Service(folder, "--places=1", *arguments, **options) as service:
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


def shares(folder):
    def ratio(variables, **options):
        return ratio_of_turns(folder, variables, **options)
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


def may_run(user, program):
    try:
        return subprocess.run([program, "-c", ""], user=user, group=user, extra_groups=[], check=False).returncode == 0
    except OSError:
        return False


def shares_of_users(folder):
    """One user's processes have three times the share of another's. Root alone can try it, with a Python that others may
    run."""
    users = (12345, 12346)
    python = next((p for p in (sys.executable, "/usr/bin/python3") if may_run(users[0], p)), None)
    if not python:
        print("shares: users True")
        return
    folder.chmod(0o755)
    for user in users:
        (folder / str(user)).mkdir()
        os.chown(folder / str(user), user, user)
    quotas = {"users": {"12345": {"share": 3}, "12346": {"share": 1}}}
    processes = [{"user": user, "python": python, "HEDDLE_CLIENTS": str(folder / str(user))} for user in users]
    print("shares: users", holds(lambda: ratio_of_turns(folder, processes, "--users=12345,12346", quotas=quotas),
                                 1.6, 6))


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
        said = service.run("compute")
        print("bad: full", "no more are served" in said or said)
        # Who says nothing is shut out, and then there is room.
        time.sleep(6)
        print("bad: then", service.run("compute"))
        second = subprocess.run(["heddle-deviced", f"--socket={service.path}"], capture_output=True, text=True)
        print("bad: second", second.returncode, "listens at" in second.stderr)


def smi(*arguments, **variables):
    return subprocess.run(["ptx-smi", *arguments], check=True, capture_output=True, text=True,
                          env=dict(os.environ, **variables)).stdout


def shown(folder):
    """Operators see what the service knows, also of those whose records they do not see."""
    other = folder / "others"
    other.mkdir()
    quotas = {"default": {"memory": "512M", "share": 3, "priority": 90, "ms": 50}}
    with Service(folder, quotas=quotas) as service:
        here = {"HEDDLE_DEVICE_SERVICE": service.path}
        both = [service.start("take", "100"), service.start("take", "28", HEDDLE_CLIENTS=str(other))]
        for process in both:
            process.stdout.readline()
        rows = smi("--query-compute-apps=pid,used_memory,service.user,service.share,service.share_percent,"
                   "service.priority,service.memory_limit,service.time_limit,service.period", "--format=csv,noheader",
                   **here).splitlines()
        expected = [f"{process.pid}, {size} MiB, {os.getuid()}, 3, 50 %, 90, 512 MiB, 50 ms, 100 ms"
                    for process, size in zip(both, (100, 28))]
        print("shown: queries", sorted(rows) == sorted(expected) or rows)
        print("shown: used", smi("--query-gpu=memory.used", "--format=csv,noheader", **here).strip())
        infos = xml.fromstring(smi("-q", "-x", **here)).findall("gpu/processes/process_info")
        print("shown: xml", sorted((int(i.findtext("pid")), i.findtext("service/memory_limit"),
                                    i.findtext("service/share")) for i in infos)
              == sorted((process.pid, "512 MiB", "3") for process in both))
        table = smi(**here)
        print("shown: table", len({len(line) for line in table.splitlines()[1:] if line}) == 1,
              "100MiB / 512MiB" in table, "Device service:" in table)
        for process in both:
            end(process)
        service.settle()
        print("shown: then", "No running processes found" in smi(**here), "Device service:" in smi(**here))
    print("shown: without", "Device service:" in smi(HEDDLE_DEVICES="hd10"))


def leftover_socket(folder):
    """A service that may remove no files leaves its socket, which is in nobody's way."""
    run = folder / "run"
    run.mkdir()
    default = {"XDG_RUNTIME_DIR": str(run), "HEDDLE_DEVICE_SERVICE": ""}
    with Service(folder, path=run / "heddle-deviced.socket") as service:
        print("socket: serves", service.run("compute", **default), service.settle()["ended"][0]["clients"])
    print("socket: left", (run / "heddle-deviced.socket").is_socket())
    print("socket: by default", service.run("compute", **default))
    print("socket: named", "no device service at" in service.run("compute"))
    with Service(folder, path=run / "heddle-deviced.socket") as service:
        print("socket: again", service.run("compute"))


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
    for test in (memory, preemption, shares, shares_of_users, quota_of_time, kills, bad_clients, shown, users,
                 leftover_socket, end_of_service):
        if len(sys.argv) < 3 or test.__name__ in sys.argv[2:]:
            test(folder)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
