"""Runs PyTorch's eager operations where only PTX can run.

PyTorch's own kernels are machine code for NVIDIA's GPUs alone. `register()`, which
`import torch` calls under ptx-env, gives each of them another implementation: kernels
of ours in Triton for the operations that models are made of, where Triton is installed,
and for the others one on the host, on copies of the tensors, which says so once per
operation and is counted. `host_calls()` has the counts. Where the driver is not Heddle's
nothing is changed.
"""
__all__ = ["host_calls", "register"]


def register():
    """Registers everything, once, where the driver is Heddle's."""
    from heddle_torch import registration
    registration.register()


def host_calls():
    """How often each operation ran on the host so far, most often first."""
    # PyTorch calls register() when it is imported, which has to be over.
    import torch  # noqa: F401
    from heddle_torch import registration
    return registration.host_calls()
