"""A device by CUDA's driver API, for launches over arrays of NumPy."""
import ctypes
import pathlib
from typing import Mapping

import numpy as np

from .launch import Buffer, Launch
from .kinds import size

DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
SCALARS = {
    "u64": ctypes.c_uint64,
    "s64": ctypes.c_int64,
    "u32": ctypes.c_uint32,
    "s32": ctypes.c_int32,
    "f32": ctypes.c_float,
}


class DeviceError(Exception):
    """What the driver says is wrong."""


class Device:
    """The first device of a driver, with modules that are loaded once."""

    def __init__(self, library: str) -> None:
        self._cuda = ctypes.CDLL(library)
        self._modules: dict[pathlib.Path, ctypes.c_void_p] = {}
        self._kernels: dict[tuple, ctypes.c_void_p] = {}
        self._call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(status, ctypes.byref(text))
            raise DeviceError("%s: %s" % (name, (text.value or b"?").decode()))

    def allocate(self, bytes_: int) -> int:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(bytes_, 1)))
        return address.value

    def free(self, address: int) -> None:
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def upload(self, address: int, data: np.ndarray) -> None:
        data = np.ascontiguousarray(data)
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(data.ctypes.data),
                   ctypes.c_size_t(data.nbytes))  # fmt: skip

    def download(self, address: int, count: int, kind: type) -> np.ndarray:
        data = np.empty(count, kind)
        self._call("cuMemcpyDtoH_v2", ctypes.c_void_p(data.ctypes.data), ctypes.c_uint64(address),
                   ctypes.c_size_t(data.nbytes))  # fmt: skip
        return data

    def _kernel(self, launch: Launch) -> ctypes.c_void_p:
        key = (launch.path, launch.kernel)
        if key in self._kernels:
            return self._kernels[key]
        if launch.path not in self._modules:
            module = ctypes.c_void_p()
            self._call("cuModuleLoadData", ctypes.byref(module), launch.path.read_bytes() + b"\0")
            self._modules[launch.path] = module
        kernel = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(kernel), self._modules[launch.path], launch.kernel.encode())
        self._call("cuFuncSetAttribute", kernel, DYNAMIC_SHARED_BYTES, launch.shared_bytes)
        self._kernels[key] = kernel
        return kernel

    def run(self, launch: Launch, addresses: Mapping[str, int]) -> None:
        """Starts a kernel whose buffers lie at the addresses."""
        values = []
        for argument in launch.arguments:
            if isinstance(argument, Buffer):
                place = addresses[argument.name] + int(size(argument.offset, argument.type))
                values.append(ctypes.c_uint64(place))
            else:
                values.append(SCALARS[argument.type](argument.value))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        grid = [*launch.grid, 1, 1][:3]
        block = [*launch.block, 1, 1][:3]
        self._call("cuLaunchKernel", self._kernel(launch), *grid, *block, launch.shared_bytes, None, pointers, None)

    def wait(self) -> None:
        self._call("cuCtxSynchronize")
