#!/usr/bin/env python3
"""What CUDA and NVML say of the links between all devices.

usage: links.py

Prints a line for each two devices, and two for the links of each in NVML.
"""
import ctypes

cuda, nvml = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libnvidia-ml.so.1")
RANK, ACCESS, ATOMICS, ARRAYS = 1, 2, 3, 4  # cudaDeviceP2PAttr
READ, WRITE, NVLINK, NVML_ATOMICS, PCI = range(5)  # nvmlGpuP2PCapsIndex_t
MOST_LINKS = 18
FIELD_COUNT, FIELD_SPEED, FIELD_STATE, FIELD_VERSION = 91, 164, 165, 166  # NVML_FI_DEV_NVLINK_*


class PciInfo(ctypes.Structure):
    _fields_ = [("legacy", ctypes.c_char * 16), ("numbers", ctypes.c_uint * 5), ("id", ctypes.c_char * 32)]


class FieldValue(ctypes.Structure):
    _fields_ = [("field", ctypes.c_uint), ("link", ctypes.c_uint), ("times", ctypes.c_longlong * 2),
                ("type", ctypes.c_uint), ("code", ctypes.c_int), ("value", ctypes.c_ulonglong)]


def field(handle, which, link=0):
    """The number that a field of NVML's has, or its error."""
    value = FieldValue(which, link)
    nvml.nvmlDeviceGetFieldValues(handle, 1, ctypes.byref(value))
    return value.value if value.code == 0 else f"error {value.code}"


def number(function, *arguments):
    """The number that a function gives, or its error."""
    value = ctypes.c_uint()
    code = function(*arguments, ctypes.byref(value))
    return value.value if code == 0 else f"error {code}"


def main():
    nvml.nvmlInit_v2()
    count = number(cuda.cudaGetDeviceCount)
    handles = []
    for index in range(count):
        handles.append(ctypes.c_void_p())
        nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handles[-1]))
    for one in range(count):
        for other in range(count):
            if one == other:
                continue
            attributes = []
            for attribute in (RANK, ACCESS, ATOMICS, ARRAYS):
                value = ctypes.c_int()
                cuda.cudaDeviceGetP2PAttribute(ctypes.byref(value), attribute, one, other)
                attributes.append(value.value)
            states = [number(nvml.nvmlDeviceGetP2PStatus, handles[one], handles[other], which)
                      for which in (READ, WRITE, NVLINK, NVML_ATOMICS, PCI)]
            print(f"{one} to {other}: rank, access, atomics, arrays {attributes}, NVML {states}")
    for index, handle in enumerate(handles):
        ends = []
        for link in range(MOST_LINKS):
            if number(nvml.nvmlDeviceGetNvLinkState, handle, link) != 1:
                continue
            place = PciInfo()
            nvml.nvmlDeviceGetNvLinkRemotePciInfo_v2(handle, link, ctypes.byref(place))
            ends.append((number(nvml.nvmlDeviceGetNvLinkRemoteDeviceType, handle, link), place.legacy.decode()))
        told = ", ".join(f"{ends.count(end)} to {('device', '', 'switch')[end[0]]} {end[1]}"
                         for end in dict.fromkeys(ends))
        first = [number(nvml.nvmlDeviceGetNvLinkVersion, handle, 0),
                 *(number(nvml.nvmlDeviceGetNvLinkCapability, handle, 0, which) for which in (0, 1, 5))]
        fields = [field(handle, FIELD_COUNT), field(handle, FIELD_SPEED), field(handle, FIELD_VERSION),
                  [field(handle, FIELD_STATE, link) for link in (0, MOST_LINKS - 1, MOST_LINKS)]]
        print(f"fields of {index}: count, speed, version, states {fields}")
        print(f"links of {index}: {told or 'none'}; version, peers, host, valid {first};"
              f" beyond {number(nvml.nvmlDeviceGetNvLinkState, handle, MOST_LINKS)}")


if __name__ == "__main__":
    main()
