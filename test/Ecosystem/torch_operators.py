"""PyTorch's own samples of its operators, on the device and on the host.

One test for each operator and type: the results of all samples have to be equal
within the tolerances of torch.testing, forward, and the gradients where the operator
has some; or, where both round differently, within three bits of as near to what the host
computes in double precision. What the host refuses says nothing about the device and is skipped.
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


def order_of(op, inputs):
    """The dimension in which elements are put in order and those that are the same come as it happens, if there is."""
    given, named = inputs[1:]
    if op.name not in ("sort", "argsort", "topk", "kthvalue") or named.get("stable") or not inputs[0].dim():
        return None
    before = 1 if op.name in ("topk", "kthvalue") else 0  # Arguments in front of the dimension.
    return given[before] if len(given) > before else named.get("dim", -1)


def ordered(op, inputs, made):
    """What puts elements in order, with the elements at the places that it says in place of these."""
    dim, x = order_of(op, inputs), inputs[0]
    if dim is None:
        return made
    is_kept = isinstance(made, torch.Tensor) or made[1].dim() == x.dim()

    def elements(places):
        found = x.detach().gather(dim, places if is_kept else places.unsqueeze(dim))
        return found if is_kept else found.squeeze(dim)

    return elements(made) if op.name == "argsort" else (made[0], elements(made[1]))


def gradient_of(op, inputs, tensor):
    """Where it is open which of several elements gets it, what it is together with the elements."""
    dim = order_of(op, inputs)
    return tensor.grad if dim is None else (tensor.detach() * tensor.grad).sum(dim)


def outcomes(op, sample, inputs, differentiates):
    """The results, but for what is left open in them, and the gradients of the inputs that get some."""
    made = ordered(op, inputs, sample.output_process_fn_grad(op(inputs[0], *inputs[1], **inputs[2])))
    if differentiates:
        backward(made)
    return tensors(made) + [gradient_of(op, inputs, tensor) for tensor in tensors(inputs) if tensor.grad is not None]


def error(value, exact):
    """The largest difference; NaN where one is none and the other is."""
    same = (value == exact) | (value.isnan() & exact.isnan())
    return (value - exact).abs().masked_fill(same, 0).max().item() if exact.numel() else 0


def compare(found, expected, exact, keeps_single):
    """Exact gives the same in double precision; it is asked where found and expected differ. What normalisations
    keep for their gradients is of single precision on a GPU."""
    assert len(found) == len(expected)
    for number, (ours, theirs) in enumerate(zip(found, expected)):
        if keeps_single and number and ours.dtype == torch.float32:
            ours = ours.to(theirs.dtype)
        try:
            torch.testing.assert_close(ours, theirs, check_device=False, equal_nan=True)
        except AssertionError:
            wide = exact()[number] if theirs.is_floating_point() else theirs
            if not theirs.is_floating_point() or not ours.size() == theirs.size() == wide.size():
                raise
            assert ours.dtype == theirs.dtype
            scale = wide[wide.isfinite()].abs().amax().item() if wide.isfinite().any() else 0
            errors = [error(value.cpu().double(), wide) for value in (ours, theirs)]
            assert errors[0] <= 8 * errors[1] + torch.finfo(ours.dtype).eps * scale, errors


@contextlib.contextmanager
def counting(by_host):
    """Adds the operations that the host carries out meanwhile, since there is no code for the device."""
    host = sys.modules.get("heddle_torch.host")
    before = dict(host.CALLS) if host else {}
    yield
    by_host.update(name for name, calls in (host.CALLS if host else {}).items() if calls != before.get(name))


def check(op, dtype, by_host):
    torch.manual_seed(0)  # The same samples each time.
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
        try:
            with counting(by_host):
                found = outcomes(op, sample, inputs, differentiates and compares)
        except NotImplementedError as reason:
            if "from the 'CUDA' backend" in str(reason):
                pytest.skip("PyTorch has no such operation for CUDA")
            raise
        ran += 1
        if compares:
            compare(found, expected, lambda: outcomes(op, sample, wide, differentiates), "_norm" in op.name)
    if not ran:
        pytest.skip("the host takes no sample")


@pytest.mark.parametrize("op, dtype", CASES, ids=[f"{op.name}-{op.variant_test_name}-{str(dtype)[6:]}"
                                                  for op, dtype in CASES])
def test_operator(op, dtype, record_property):
    by_host = set()
    check(op, dtype, by_host)
    record_property("on_host", sorted(by_host))
