"""The driver and the runtime as a program has them, over kernels of one text of PTX."""
import ctypes


def check(code):
    if code:
        raise SystemExit(f"CUDA gave {code}")


class Device:
    """The device that the program sees first. It is opened by the first call."""

    def __init__(self, ptx):
        self.ptx = ptx
        self.runtime, self.driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")

    def kernel(self, name):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        check(self.runtime.cudaFree(None))
        check(self.driver.cuModuleLoadData(ctypes.byref(module), self.ptx))
        check(self.driver.cuModuleGetFunction(ctypes.byref(kernel), module, name))
        return kernel

    def allocate(self, size):
        """A result and the address, which is none unless the result is zero."""
        memory = ctypes.c_void_p()
        code = self.runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(size))
        return code, memory

    def launch(self, kernel, grid, block, *values):
        """The values are of types of C, as the kernel's parameters are."""
        arguments = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        check(self.driver.cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, None, arguments, None))

    def synchronize(self):
        check(self.runtime.cudaDeviceSynchronize())

    def write(self, memory, buffer):
        check(self.runtime.cudaMemcpy(memory, buffer, ctypes.c_size_t(ctypes.sizeof(buffer)), 1))

    def read(self, buffer, memory):
        check(self.runtime.cudaMemcpy(buffer, memory, ctypes.c_size_t(ctypes.sizeof(buffer)), 2))

    def free(self):
        """Mebibytes that are free, and all."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        check(self.runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
        return free.value >> 20, total.value >> 20
