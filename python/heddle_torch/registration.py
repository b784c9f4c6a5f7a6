"""Gives PyTorch's operations on the device implementations of ours."""
import ctypes
import functools
import os
import warnings

import torch

from heddle_torch import device, host, native, operators, sparse

LIBRARIES = []  # Implementations live as long as these.


def is_heddle():
    """Whether the process's driver is Heddle's, without a call of it."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if "/libcuda.so" in line}
    return any(os.path.exists(os.path.join(os.path.dirname(path), "libheddle-cuda.so.1")) for path in paths)


def host_calls():
    """How often each operation ran on the host so far, most often first."""
    return dict(host.CALLS.most_common())


def overload(name):
    """The operation of a name such as aten::add.Tensor."""
    packet, _, which = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, packet), which or "default")


def makes_view(op):
    return any(value.alias_info and not value.alias_info.is_write for value in op._schema.returns)


def has_host_kernel(name):
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
               for key in ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"))


def implementation(name):
    """What is to be called for an operation; nothing if it stays as it is."""
    op = overload(name)
    if name in operators.ON_DEVICE:
        return operators.ON_DEVICE[name]
    if name in operators.WITHOUT_KERNELS or makes_view(op) or device.base_of(name) in native.NAMES:
        return None
    if not has_host_kernel(name) and not device.function_for(name):
        return functools.partial(refuse, name)
    carry_out = device.function_for(name)
    if not carry_out:
        return lambda *args, **kwargs: host.run(op, args, kwargs)

    def implement(*args, **kwargs):
        result = carry_out(op, args, kwargs)
        return host.run(op, args, kwargs) if result is NotImplemented else result
    return implement


def refuse(name, *args, **kwargs):
    raise NotImplementedError(f"PyTorch has {name} for CUDA as machine code only, and nothing for the host")


def replace(library, name, function, key):
    if function:
        library.impl(name.removeprefix("aten::"), function, key)


@functools.cache
def register():
    """Registers everything, once, where the driver is Heddle's."""
    if not is_heddle():
        return
    # Libraries and fused kernels of machine code, which PyTorch would choose.
    torch.backends.cudnn.enabled = False
    for fused in ("flash", "mem_efficient", "cudnn"):
        getattr(torch.backends.cuda, f"enable_{fused}_sdp")(False)
    device.keep_native()
    device.watch_captures()
    library = torch.library.Library("aten", "IMPL")
    LIBRARIES.append(library)
    names = [name for name in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
             if name.startswith("aten::")]
    with warnings.catch_warnings():
        # PyTorch tells that its own implementation is replaced.
        warnings.simplefilter("ignore", UserWarning)
        for name in dict.fromkeys([*names, *operators.COMPOSITE, *operators.ON_DEVICE]):
            replace(library, name, implementation(name), "CUDA")
        for name in (*sparse.OF_SPARSE, *sparse.ON_HOST):
            replace(library, name, sparse.implementation(overload(name)), "SparseCUDA")
