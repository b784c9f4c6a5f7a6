"""Bytes of tensors from and to the device, through the runtime alone."""
import ctypes
import functools

import torch


class TransferError(RuntimeError):
    """A copy failed."""


@functools.cache
def runtime():
    """The runtime's library, whose calls need no current context."""
    library = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
    library.cudaMemcpyAsync.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                                        ctypes.c_void_p]
    library.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
    return library


def check(status, what):
    if status:
        raise TransferError(f"CUDA error {status}: {what}")


BETWEEN_ANY = 4  # cudaMemcpyDefault


def copy_bytes(to, source, size, waits):
    """Copies between addresses of any kind, in the order of the current stream."""
    if not size:
        return
    stream = torch.cuda.current_stream().cuda_stream
    check(runtime().cudaMemcpyAsync(to, source, size, BETWEEN_ANY, stream), "cudaMemcpyAsync")
    if waits:
        check(runtime().cudaStreamSynchronize(stream), "cudaStreamSynchronize")


def extent(tensor):
    """How many elements lie between a tensor's first and its last one."""
    if not tensor.numel():
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride()))


def with_bits_of(host, tensor):
    """A view of host that is conjugated and negated lazily where tensor is."""
    if tensor.is_conj():
        host = torch._conj(host)
    return torch._neg_view(host) if tensor.is_neg() else host


def to_host(tensor):
    """A copy on the host that has the same strides, with what is in the gaps."""
    flat = torch.empty(extent(tensor), dtype=tensor.dtype, device="cpu")
    copy_bytes(flat.data_ptr(), tensor.data_ptr(), flat.numel() * flat.element_size(), True)
    return with_bits_of(flat.as_strided(tensor.size(), tensor.stride()), tensor)


def write_back(tensor, host):
    """Copies what to_host made, changed meanwhile, back to where it was."""
    size = extent(tensor) * tensor.element_size()
    copy_bytes(tensor.data_ptr(), host.data_ptr(), size, True)


def is_dense(tensor):
    """Whether a tensor fills the memory between its first and last element."""
    return extent(tensor) == tensor.numel()


def to_device(host, device):
    """A tensor on the device with a host tensor's elements and, if it is dense, its
    strides."""
    host = host.resolve_conj().resolve_neg()
    if not is_dense(host):
        host = host.contiguous()
    made = torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=device)
    copy_bytes(made.data_ptr(), host.data_ptr(), host.numel() * host.element_size(), True)
    return made
