"""Lets PyTorch describe results without importing what only torch.compile needs.

Much of what PyTorch says of results without memory is Python that torch.compile is not to look into. The first call of
such a function asks torch._dynamo to disable itself for it, which imports that: more than all else that the first
operation of a program costs. Until a program has imported it, there is nothing to be disabled.
"""
import functools
import sys
import types

import torch

# Where such a function keeps what is called in its place.
CALLED = "__dynamo_disable"


def late(function):
    """Calls a function, and asks for it to be disabled once there is what could look into it."""
    def call(*args, **kwargs):
        if "torch._dynamo" not in sys.modules:
            return function(*args, **kwargs)
        import torch._dynamo
        disabled = torch._dynamo.disable(function, wrapping=False)
        setattr(function, CALLED, disabled)
        return disabled(*args, **kwargs)
    call._torchdynamo_disable = True
    return call


def layers(function):
    """A function and those that it wraps."""
    while function is not None:
        yield function
        function = getattr(function, "__wrapped__", None)


@functools.cache
def prepare():
    """Gives functions that would import it another way to be called; those that PyTorch makes otherwise stay so."""
    from torch import _decomp, _meta_registrations, _refs
    if not hasattr(torch, "_disable_dynamo"):
        return
    asks = torch._disable_dynamo(lambda: None).__code__
    tables = [*_decomp.global_decomposition_table.values(), vars(_refs), vars(_meta_registrations)]
    known = {layer for table in tables for function in table.values() for layer in layers(function)
             if isinstance(layer, types.FunctionType)}
    for layer in known:
        if layer.__code__ is asks and not hasattr(layer.__wrapped__, CALLED):
            setattr(layer.__wrapped__, CALLED, late(layer.__wrapped__))
