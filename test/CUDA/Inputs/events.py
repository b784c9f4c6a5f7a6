"""Waits by NVML for what programs on the device do wrong: events.py [pynvml]

Without pynvml by the functions themselves."""
import ctypes
import os
import subprocess
import sys
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
XID, TIMEOUT, NOT_SUPPORTED, INVALID = 8, 10, 3, 2


class EventData(ctypes.Structure):
    _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("data", ctypes.c_ulonglong),
                ("instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


class Monitor:
    """A set of events of some devices."""

    def __init__(self, *indices, parts=()):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.call("nvmlInit_v2")
        self.set = ctypes.c_void_p()
        self.call("nvmlEventSetCreate", ctypes.byref(self.set))
        self.devices = []
        for index in indices:
            device = ctypes.c_void_p()
            self.call("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(device))
            self.devices.append(device)
        for uuid in parts:
            device = ctypes.c_void_p()
            self.call("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(device))
            self.devices.append(device)
        for device in self.devices:
            types = ctypes.c_ulonglong()
            self.call("nvmlDeviceGetSupportedEventTypes", device, ctypes.byref(types))
            assert types.value == XID, types
            self.call("nvmlDeviceRegisterEvents", device, types, self.set)

    def call(self, name, *arguments, gives=0):
        result = getattr(self.nvml, name)(*arguments)
        assert result == gives, (name, result)

    def wait(self, milliseconds, function="nvmlEventSetWait_v2"):
        """Which device, its Xid and instances; None if nothing happens."""
        event = EventData(instance=77, compute_instance=77)
        result = getattr(self.nvml, function)(self.set, ctypes.byref(event), milliseconds)
        if result == TIMEOUT:
            return None
        assert result == 0 and event.type == XID, (result, event.type)
        index = [device.value for device in self.devices].index(event.device)
        return index, event.data, ctypes.c_int(event.instance).value, ctypes.c_int(event.compute_instance).value

    def end(self):
        self.call("nvmlEventSetFree", self.set)
        self.call("nvmlShutdown")


def fail(what, device=0, part=None):
    """A program that ends with a fault, and is gone."""
    variables = {"CUDA_VISIBLE_DEVICES": part or str(device)}
    ran = subprocess.run(["ptx-env", sys.executable, f"{FOLDER}/faulty.py", what], env={**os.environ, **variables},
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran


def whole_devices():
    fail("address")
    both = Monitor(0, 1)
    # What was before is nobody's event.
    assert both.wait(0) is None
    first, begin = Monitor(0), time.monotonic()
    assert first.wait(200) is None and time.monotonic() - begin >= 0.2
    fail("address")
    fail("alignment", device=1)
    fail("trap")
    assert [both.wait(0) for _ in range(4)] == [(0, 31, -1, -1), (1, 13, -1, -1), (0, 43, -1, -1), None]
    # A set has the events of its own devices, whoever else had them.
    assert [first.wait(0) for _ in range(3)] == [(0, 31, -1, -1), (0, 43, -1, -1), None]
    # One that waits is told at once; one of before instances has less room.
    threading.Timer(0.5, fail, ["assert"]).start()
    begin = time.monotonic()
    assert both.wait(60000) == (0, 43, -1, -1) and time.monotonic() - begin < 50
    assert first.wait(60000, "nvmlEventSetWait") == (0, 43, 77, 77)
    # A program that does nothing wrong, and one that is refused, are no events.
    fail("nothing")
    fail("refused")
    assert both.wait(100) is None
    first.call("nvmlDeviceRegisterEvents", first.devices[0], ctypes.c_ulonglong(4), first.set, gives=NOT_SUPPORTED)
    first.call("nvmlDeviceRegisterEvents", first.devices[0], ctypes.c_ulonglong(XID), None, gives=INVALID)
    first.call("nvmlEventSetWait_v2", None, ctypes.byref(EventData()), 0, gives=INVALID)
    first.end()
    both.end()
    print("devices: as it should be")


def instances():
    for command in (["-i", "0", "-mig", "1"], ["mig", "-i", "0", "-cgi", "3g,1g", "-C"]):
        subprocess.run(["ptx-smi", *command], check=True, capture_output=True)
    listed = subprocess.run(["ptx-smi", "-L"], check=True, capture_output=True, text=True).stdout
    parts = [line.split("UUID: ")[1].rstrip(")") for line in listed.splitlines() if "MIG" in line]
    device, part = Monitor(0), Monitor(parts=parts[1:])
    fail("address", part=parts[0])
    fail("trap", part=parts[1])
    assert [device.wait(0) for _ in range(3)] == [(0, 31, 1, 0), (0, 43, 2, 0), None]
    assert [part.wait(0) for _ in range(2)] == [(0, 43, 2, 0), None]
    device.end()
    part.end()
    print("instances: as it should be")


def by_python():
    import pynvml as nvml
    nvml.nvmlInit()
    device, events = nvml.nvmlDeviceGetHandleByIndex(0), nvml.nvmlEventSetCreate()
    nvml.nvmlDeviceRegisterEvents(device, nvml.nvmlEventTypeXidCriticalError, events)
    fail("address")
    event = nvml.nvmlEventSetWait_v2(events, 1000)
    print("xid:", event.eventData, event.eventType == nvml.nvmlEventTypeXidCriticalError,
          nvml.nvmlDeviceGetUUID(event.device) == nvml.nvmlDeviceGetUUID(device))
    try:
        nvml.nvmlEventSetWait_v2(events, 0)
    except nvml.NVMLError_Timeout:
        print("then: nothing")
    nvml.nvmlEventSetFree(events)
    nvml.nvmlShutdown()


if __name__ == "__main__":
    if sys.argv[1:] == ["pynvml"]:
        by_python()
    else:
        whole_devices()
        instances()
