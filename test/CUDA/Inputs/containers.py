"""Looks at the specification for containers, and takes it for a container's word."""
import json
import os
import subprocess


def smi(*arguments):
    return subprocess.run(["ptx-smi", *arguments], check=True, capture_output=True, text=True).stdout


def main():
    smi("-i", "1", "-mig", "1")
    smi("mig", "-cgi", "2g,1g", "-C")
    uuids = [line.split("UUID: ")[1].rstrip(")") for line in smi("-L").splitlines()]
    spec = json.loads(smi("cdi", "generate"))
    assert spec["kind"] == "nvidia.com/gpu" and spec["cdiVersion"] == "0.5.0"
    assert json.loads(smi("cdi", "generate", "--kind=example.org/device"))["kind"] == "example.org/device"
    devices = {device["name"]: dict(text.split("=", 1) for text in device["containerEdits"]["env"])
               for device in spec["devices"]}
    assert list(devices) == ["0", "1", "1:0", "1:1", "all"], devices
    whole = ",".join(uuids[:2])
    assert [devices[name]["CUDA_VISIBLE_DEVICES"] for name in devices] == [*uuids, whole]
    edits = spec["containerEdits"]
    for mount in edits["mounts"]:
        assert os.path.isdir(mount["hostPath"]) and mount["hostPath"] == mount["containerPath"], mount
    assert [mount["options"][0] for mount in edits["mounts"]] == ["ro", "ro", "rw"]
    # With this, a program that knows nothing of Heddle finds the device of its container.
    common = dict(text.split("=", 1) for text in edits["env"])
    for name, cores in (("0", 132), ("1:1", 18), ("all", 132)):
        environment = {**common, **devices[name], "PATH": os.environ["PATH"]}
        program = ("import ctypes; d = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int(); d.cuInit(0); "
                   "d.cuDeviceGetAttribute(ctypes.byref(n), 16, 0); print(n.value)")
        out = subprocess.run(["python3", "-c", program], env=environment, check=True, capture_output=True, text=True)
        assert out.stdout == f"{cores}\n", (name, out)
    # A service that shares devices out is theirs, too.
    os.environ["HEDDLE_DEVICE_SERVICE"] = "/run/devices.socket"
    shared = json.loads(smi("cdi", "generate"))["containerEdits"]
    assert "HEDDLE_DEVICE_SERVICE=/run/devices.socket" in shared["env"]
    assert [mount["containerPath"] for mount in shared["mounts"] if mount not in edits["mounts"]] == ["/run/devices.socket"]
    print("all as it should be")


if __name__ == "__main__":
    main()
