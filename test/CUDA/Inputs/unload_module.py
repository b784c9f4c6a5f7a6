"""Unloads a module in a thread that has no context, and a library in a context of another device than that on which
its kernel runs."""
import ctypes

PTX = b"""
.version 8.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 out) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<3>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 0;
loop:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 1000000;
  @%p bra loop;
  st.global.u32 [%rd1], %r1;
  ret;
}
"""
driver = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(driver, name)(*arguments)
    assert code == 0, f"{name}: {code}"


def launch(function):
    """Starts the kernel, and returns where it counts."""
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4))
    parameter = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, parameter, None)
    return address


def counted(address):
    value = ctypes.c_uint32()
    call("cuMemcpyDtoH_v2", ctypes.byref(value), address, ctypes.c_size_t(4))
    return value.value


def contexts():
    made = []
    for device in (0, 1):
        made.append(ctypes.c_void_p())
        call("cuDevicePrimaryCtxRetain", ctypes.byref(made[-1]), device)
    return made


def main():
    call("cuInit", 0)
    first, second = contexts()
    module, library = ctypes.c_void_p(), ctypes.c_void_p()
    kernel, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuCtxSetCurrent", first)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"count")
    address = launch(function)
    call("cuCtxSetCurrent", None)
    call("cuModuleUnload", module)
    assert driver.cuModuleUnload(module) != 0
    call("cuCtxSetCurrent", first)
    print("module:", counted(address))

    call("cuLibraryLoadData", ctypes.byref(library), PTX, None, None, 0, None, None, 0)
    call("cuLibraryGetKernel", ctypes.byref(kernel), library, b"count")
    call("cuCtxSetCurrent", second)
    address = launch(kernel)
    call("cuCtxSetCurrent", None)
    call("cuLibraryUnload", library)
    call("cuCtxSetCurrent", second)
    print("library:", counted(address))


if __name__ == "__main__":
    main()
