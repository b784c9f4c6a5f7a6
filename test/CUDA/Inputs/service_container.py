"""Programs in containers that have a device service's socket and nothing else of the host's devices:
service_container.py FOLDER [podman]

A container has what `ptx-smi cdi generate` says, but for the folder of records and the variables that name it and the
devices. Without podman, which reads the specification itself and wants root for that, it is made of the kernel's own
namespaces: of users, mounts, processes, networks and the rest."""
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys

from device_service import HERE, Service, smi

SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"]
SYSTEM += [folder for folder in sorted({sys.prefix, sys.base_prefix}) if not folder.startswith("/usr")]


def specification(service, has_records):
    """For containers, with or without the folder of records."""
    text = smi("cdi", "generate", f"--kind=heddle.test/gpu-{os.getpid()}", HEDDLE_DEVICE_SERVICE=service.path)
    found = json.loads(text)
    edits = found["containerEdits"]
    assert service.path in [mount["hostPath"] for mount in edits["mounts"]], edits
    if has_records:
        return found
    records = next(text.split("=", 1)[1] for text in edits["env"] if text.startswith("HEDDLE_CLIENTS="))
    edits["mounts"] = [mount for mount in edits["mounts"] if mount["hostPath"] != records]
    edits["env"] = [text for text in edits["env"] if not re.match("HEDDLE_(CLIENTS|DEVICES)=", text)]
    return found


class Containers:
    """Of the kernel's namespaces, with a root of their own."""

    def __init__(self, folder, service, has_records=False):
        self.specification = specification(service, has_records)
        edits = self.specification["containerEdits"]
        self.mounts, self.variables = [mount["hostPath"] for mount in edits["mounts"]], edits["env"]
        self.root = folder / "root"

    def command(self, arguments):
        lines = ["set -e", f"mount -t tmpfs none {self.root}"]
        for path in (*SYSTEM, *self.mounts, str(HERE)):
            place = shlex.quote(f"{self.root}{path}")
            if os.path.islink(path):
                lines.append(f"ln -s {os.readlink(path)} {place}")
            elif os.path.isdir(path):
                lines.append(f"mkdir -p {place}; mount --rbind {path} {place}")
            elif os.path.exists(path):
                lines.append(f"mkdir -p $(dirname {place}); touch {place}; mount --bind {path} {place}")
        lines += [f"mkdir -p {self.root}/proc {self.root}/tmp {self.root}/dev",
                  f"mount -t proc none {self.root}/proc",
                  " ".join(["exec", "chroot", str(self.root), "env", "-i", "PATH=/usr/bin:/bin", "TMPDIR=/tmp",
                            *self.variables, *map(shlex.quote, arguments)])]
        return ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc",
                "--uts", "sh", "-c", "\n".join(lines)]

    def start(self, *arguments):
        self.root.mkdir(exist_ok=True)
        program = [sys.executable, str(HERE / "device_user.py"), *arguments]
        return subprocess.Popen(self.command(program), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)


class Podman(Containers):
    """The same, of podman, over the host's own files."""
    # The second is for hosts with two versions of control groups at once.
    WAYS = ([], ["--runtime=runc", "--cgroup-manager=cgroupfs"])

    def __init__(self, folder, service):
        super().__init__(folder, service)
        self.root.mkdir()
        for path in SYSTEM:
            if os.path.islink(path):
                os.symlink(os.readlink(path), f"{self.root}{path}")
        self.way = next(way for way in self.WAYS if not subprocess.run(
            self.run(way, "true"), capture_output=True, check=False).returncode)

    def run(self, way, *arguments):
        volumes = [f"--volume={path}:{path}" for path in (*SYSTEM, str(HERE)) if not os.path.islink(path)]
        return ["podman", *way, "run", "--rm", "--interactive", "--network=none", "--ulimit=nofile=1024:1024",
                "--ulimit=nproc=1000:1000", *volumes, *arguments[:-1], "--rootfs", str(self.root), *arguments[-1:]]

    def command(self, arguments):
        device = f"--device={self.specification['kind']}=all"
        return [*self.run(self.way, device, arguments[0]), *arguments[1:]]


class Specified:
    """A specification where podman looks for it."""

    def __init__(self, found):
        self.text = json.dumps(found)
        self.path = pathlib.Path("/var/run/cdi") / f"{found['kind'].replace('/', '-')}.json"

    def __enter__(self):
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(self.text, encoding="utf-8")

    def __exit__(self, *_):
        self.path.unlink()


def finish(process, text="\n"):
    out, error = process.communicate(text, timeout=120)
    assert process.returncode == 0, (out, error)
    return out.strip()


def share(service, containers):
    """Lets programs in containers, and beside them, have the service's devices."""
    print("alone:", finish(containers.start("compute")))
    print("all:", finish(containers.start("free")))
    # Memory is one for both, and the host knows who has it, by numbers of processes that are the host's.
    holder = containers.start("take", "3000")
    print("first:", holder.stdout.readline().strip() or holder.communicate())
    print("second:", finish(containers.start("free")))
    client, = service.status()["clients"]
    with open(f"/proc/{client['pid']}/cmdline", encoding="utf-8") as file:
        print("known:", "device_user.py" in file.read(), client["memory"] >> 20)
    print("listed:", listed(service) == [f"{client['pid']}, 3000 MiB, 4096 MiB"] or listed(service))
    # It is killed from outside, and what it had is free.
    os.kill(client["pid"], signal.SIGKILL)
    holder.communicate()
    status = service.settle()
    print("killed:", finish(containers.start("free")), status["free_places"] == status["places"])
    # An endless kernel of one keeps nobody from running, on the host or in another.
    endless = containers.start("endless")
    endless.stdout.readline()
    print("beside:", finish(containers.start("compute")), service.run("compute"))
    service.settle(1)
    os.kill(service.status()["clients"][0]["pid"], signal.SIGKILL)
    endless.communicate()
    service.settle()


def listed(service):
    return smi("--query-compute-apps=pid,used_memory,service.memory_limit", "--format=csv,noheader",
               HEDDLE_DEVICE_SERVICE=service.path).splitlines()


def record(service, containers):
    """A program whose record the host sees is there once, by the number that the host has for it."""
    holder = containers.start("take", "500")
    holder.stdout.readline()
    client, = service.status()["clients"]
    print("recorded:", len(os.listdir(os.environ["HEDDLE_CLIENTS"])),
          listed(service) == [f"{client['pid']}, 500 MiB, 4096 MiB"] or listed(service))
    finish(holder)
    service.settle()


def main():
    folder = pathlib.Path(sys.argv[1])
    with Service(folder, devices="2xhd10") as service:
        if "podman" not in sys.argv[2:]:
            share(service, Containers(folder, service))
            record(service, Containers(folder, service, has_records=True))
            return
        containers = Podman(folder, service)
        with Specified(containers.specification):
            share(service, containers)


if __name__ == "__main__":
    main()
