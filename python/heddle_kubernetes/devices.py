"""What ptx-smi says of devices, as resources and as what a container needs."""
import dataclasses
import json
import re
import subprocess

# ptx-smi -L: a device, and its instances behind it.
WHOLE = re.compile(r"GPU (\d+): .* \(UUID: (GPU-[0-9a-f-]+)\)")
PART = re.compile(r"  MIG (\S+) +Device +(\d+): \(UUID: (MIG-[0-9a-f-]+)\)")


@dataclasses.dataclass(frozen=True)
class Device:
    """A device, or a compute instance of one."""

    uuid: str
    name: str  # as `ptx-smi cdi generate` calls it
    resource: str  # what comes behind the slash of a resource's name


def parse(text, divided):
    """The devices of a list; one that is to be divided is none itself."""
    found, index = [], None
    for line in text.splitlines():
        if whole := WHOLE.fullmatch(line):
            index = whole.group(1)
            if index not in divided:
                found.append(Device(whole.group(2), index, "gpu"))
        elif part := PART.fullmatch(line):
            found.append(Device(part.group(3), f"{index}:{part.group(2)}", f"mig-{part.group(1)}"))
    return found


class Machine:
    """Asks ptx-smi."""

    def __init__(self, program="ptx-smi"):
        self.program = program

    def ask(self, *arguments):
        ran = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(ran.stderr.strip())
        return ran.stdout

    def devices(self):
        rows = self.ask("--query-gpu=index,mig.mode.current", "--format=csv,noheader").splitlines()
        divided = {index for index, mode in (row.split(", ") for row in rows) if mode == "Enabled"}
        return parse(self.ask("-L"), divided)

    def container_edits(self, names):
        """Variables and mounts for a container that gets the devices of these names."""
        spec = json.loads(self.ask("cdi", "generate"))
        edits = {device["name"]: device["containerEdits"] for device in spec["devices"]}
        variables = {}
        for edit in [spec["containerEdits"], *(edits[name] for name in names)]:
            for text in edit["env"]:
                name, _, value = text.partition("=")
                if name == "CUDA_VISIBLE_DEVICES" and name in variables:
                    value = f"{variables[name]},{value}"
                variables[name] = value
        mounts = [(mount["containerPath"], mount["hostPath"], "ro" in mount["options"])
                  for mount in spec["containerEdits"]["mounts"]]
        return variables, mounts
