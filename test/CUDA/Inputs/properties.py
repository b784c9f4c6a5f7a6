"""Compares properties of the device with its attributes, in both runtimes.

usage: properties.py
"""
import ctypes

# By cudaDeviceAttr, with the offsets in cudaDeviceProp of CUDA 12.9 and 13.0.
FIELDS = {
    "sharedMemPerBlockOptin": (97, 696, 672),
    "hostRegisterSupported": (99, 728, 704),
    "memoryPoolsSupported": (115, 744, 720),
    "memoryPoolSupportedHandleTypes": (119, 760, 736),
    "clusterLaunch": (120, 772, 748),
    "ipcEventSupport": (125, 768, 744),
}


def main():
    for version, function in ((12, "cudaGetDeviceProperties_v2"), (13, "cudaGetDeviceProperties")):
        runtime = ctypes.CDLL("libcudart.so.%d" % version)
        properties = ctypes.create_string_buffer(2048)
        assert getattr(runtime, function)(properties, 0) == 0
        differences = []
        for name, (attribute, *offsets) in FIELDS.items():
            value = ctypes.c_int()
            assert runtime.cudaDeviceGetAttribute(ctypes.byref(value), attribute, 0) == 0
            found = ctypes.c_int.from_buffer(properties, offsets[version - 12]).value
            if found != value.value or found == 0:
                differences.append("%s: %d, %d" % (name, found, value.value))
        print("version %d:" % version, ", ".join(differences) or "as the attributes say")


if __name__ == "__main__":
    main()
