"""PyTorch's own samples of its operators, on the device and on the host.

One test for each operator and type: the results of all samples have to be equal
within the tolerances of torch.testing, forward, and the gradients where the operator
has some. What the host refuses says nothing about the device and is skipped.
"""
import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

TYPES = (torch.float32, torch.bfloat16, torch.int64)
# Operators whose results are random or that nothing has written: these only run.
UNDETERMINED = {"bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided", "exponential",
                "geometric", "log_normal", "multinomial", "new_empty", "new_empty_strided", "normal",
                "nn.functional.alpha_dropout", "nn.functional.dropout", "nn.functional.dropout2d",
                "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
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


def compare(found, expected):
    torch.testing.assert_close(tensors(found), tensors(expected), check_device=False, equal_nan=True)


@pytest.mark.parametrize("op, dtype", CASES, ids=[f"{op.name}-{op.variant_test_name}-{str(dtype)[6:]}"
                                                  for op, dtype in CASES])
def test_operator(op, dtype):
    differentiates = dtype.is_floating_point and op.supports_autograd
    compares = op.name not in UNDETERMINED
    ran = 0
    for sample in list(op.sample_inputs("cuda", dtype, requires_grad=differentiates))[:MOST_SAMPLES]:
        inputs = (sample.input, sample.args, sample.kwargs)
        if any(tensor.layout != torch.strided or not tensor.is_leaf for tensor in tensors(inputs)):
            continue
        for tensor in tensors(inputs):
            tensor.grad = None  # Samples share tensors.
        copies = on_host(inputs)
        try:
            expected = op(copies[0], *copies[1], **copies[2])
        except (NotImplementedError, RuntimeError):
            continue
        found = op(inputs[0], *inputs[1], **inputs[2])
        ran += 1
        if not compares:
            continue
        compare(found, expected)
        if differentiates:
            backward(expected)
            backward(found)
            compare([tensor.grad for tensor in tensors(inputs) if tensor.grad is not None],
                    [tensor.grad for tensor in tensors(copies) if tensor.grad is not None])
    if not ran:
        pytest.skip("the host takes no sample")
