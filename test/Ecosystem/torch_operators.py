"""PyTorch's own samples of its operators, on the device and on the host.

One test for each operator and type: the results of all samples have to be equal
within the tolerances of torch.testing, forward, and the gradients where the operator
has some; or, where both round differently, as near to what the host computes in double
precision. What the host refuses says nothing about the device and is skipped.
"""
import contextlib
import sys

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

TYPES = (torch.float32, torch.bfloat16, torch.int64)
# Operators whose results are random or that nothing has written: these only run.
UNDETERMINED = {"bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided", "exponential",
                "geometric", "log_normal", "multinomial", "new_empty", "new_empty_strided", "normal",
                "nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d",
                "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout",
                "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "nn.functional.rrelu",
                "pca_lowrank", "rand_like", "randint", "randint_like", "randn", "randn_like", "resize_",
                "resize_as_", "svd_lowrank", "uniform"}
MOST_SAMPLES = 4

CASES = [(op, dtype) for op in op_db for dtype in TYPES if dtype in op.dtypes]


def on_host(value):
    """A sample's input on the host: a tensor of its own in a copy of the storage."""
    if isinstance(value, torch.Tensor):
        storage = torch.empty(0, dtype=value.dtype, device=value.device).set_(value.detach().untyped_storage())
        copy = storage.cpu().clone().as_strided(value.size(), value.stride(), value.storage_offset())
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        made = [on_host(item) for item in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, dict):
        return {key: on_host(item) for key, item in value.items()}
    return torch.device("cpu") if value in ("cuda", "cuda:0") or isinstance(value, torch.device) else value


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors(item)]
    return []


def backward(results):
    """The gradients of the sum of all results that have one."""
    wanted = [result for result in tensors(results) if result.requires_grad and result.is_floating_point()]
    if wanted:
        torch.autograd.backward([result.sum() for result in wanted])


def widened(value):
    """A sample's input in double precision."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().double().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        made = [widened(item) for item in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    return {key: widened(item) for key, item in value.items()} if isinstance(value, dict) else value


def is_random(op, sample):
    """Whether a result is made of random numbers, which are others on the host, or of what nothing has written."""
    drops = 0 < sample.kwargs.get("dropout_p", 0) < 1 or "attention" in op.name and sample.kwargs.get("training")
    return op.name in UNDETERMINED or drops


def ordered(op, inputs, made):
    """What sorting gives, with the elements at the places that it says in place of these."""
    if op.name not in ("sort", "argsort") or inputs[2].get("stable") or not inputs[0].dim():
        return made
    x, dim = inputs[0].detach(), inputs[1][0] if inputs[1] else inputs[2].get("dim", -1)
    return x.gather(dim, made) if op.name == "argsort" else (made[0], x.gather(dim, made[1]))


def outcomes(op, sample, inputs, differentiates):
    """The results, but for what is left open in them, and the gradients of the inputs that get some."""
    made = ordered(op, inputs, sample.output_process_fn_grad(op(inputs[0], *inputs[1], **inputs[2])))
    if differentiates:
        backward(made)
    return tensors(made) + [tensor.grad for tensor in tensors(inputs) if tensor.grad is not None]


def error(value, exact):
    """The largest difference; NaN where one is none and the other is."""
    same = (value == exact) | (value.isnan() & exact.isnan())
    return (value - exact).abs().masked_fill(same, 0).max().item() if exact.numel() else 0


def compare(found, expected, exact):
    """Exact gives the same in double precision; it is asked where found and expected differ."""
    try:
        torch.testing.assert_close(found, expected, check_device=False, equal_nan=True)
    except AssertionError:
        if not all(value.is_floating_point() for value in expected):
            raise
        for ours, theirs, wide in zip(found, expected, exact(), strict=True):
            assert ours.size() == theirs.size() == wide.size() and ours.dtype == theirs.dtype
            scale = wide[wide.isfinite()].abs().amax().item() if wide.isfinite().any() else 0
            errors = [error(value.cpu().double(), wide) for value in (ours, theirs)]
            assert errors[0] <= 2 * errors[1] + torch.finfo(ours.dtype).eps * scale, errors


@contextlib.contextmanager
def counting(by_host):
    """Adds the operations that the host carries out meanwhile, since there is no code for the device."""
    host = sys.modules.get("heddle_torch.host")
    before = dict(host.CALLS) if host else {}
    yield
    by_host.update(name for name, calls in (host.CALLS if host else {}).items() if calls != before.get(name))


def check(op, dtype, by_host):
    differentiates = dtype.is_floating_point and op.supports_autograd
    ran = 0
    for sample in list(op.sample_inputs("cuda", dtype, requires_grad=differentiates))[:MOST_SAMPLES]:
        inputs = (sample.input, sample.args, sample.kwargs)
        if any(tensor.layout != torch.strided or not tensor.is_leaf for tensor in tensors(inputs)):
            continue
        for tensor in tensors(inputs):
            tensor.grad = None  # Samples share tensors.
        compares, copies = not is_random(op, sample), on_host(inputs)
        wide = widened(copies)
        try:
            expected = outcomes(op, sample, copies, differentiates and compares)
        except (NotImplementedError, RuntimeError):
            continue
        with counting(by_host):
            found = outcomes(op, sample, inputs, differentiates and compares)
        ran += 1
        if compares:
            compare(found, expected, lambda: outcomes(op, sample, wide, differentiates))
    if not ran:
        pytest.skip("the host takes no sample")


@pytest.mark.parametrize("op, dtype", CASES, ids=[f"{op.name}-{op.variant_test_name}-{str(dtype)[6:]}"
                                                  for op, dtype in CASES])
def test_operator(op, dtype, record_property):
    by_host = set()
    check(op, dtype, by_host)
    record_property("on_host", sorted(by_host))
