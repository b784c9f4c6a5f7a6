"""Operations that others are put together for, as PyTorch describes them."""
import torch
from torch._decomp import decomposition_table

from heddle_torch import device

# Those of PyTorch's descriptions that are of operations with kernels of ours.
DESCRIBED = (
    "native_layer_norm", "native_layer_norm_backward", "gelu_backward", "silu_backward", "_softmax_backward_data",
    "_log_softmax_backward_data", "native_batch_norm_backward", "nll_loss_forward",
)


def described(op, args, kwargs):
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, torch.Tensor)]
    function = decomposition_table.get(op)
    if function is None or not all(device.is_usual(tensor) for tensor in tensors):
        return NotImplemented
    return function(*args, **kwargs)


def normalize_batch(op, args, kwargs):
    """What is kept for the backward pass is there where the batch's own statistics are used alone."""
    result = described(op, args, kwargs)
    if result is NotImplemented or args[5]:
        return result
    return result[0], *(args[0].new_empty(0, dtype=kept.dtype) for kept in result[1:])


def each(op, args, kwargs):
    """An operation on lists of tensors: the same for each of them."""
    if not torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CompositeExplicitAutograd"):
        return NotImplemented
    return op._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **kwargs)


def loss_gradient(op, args, kwargs):
    """Of the logarithm of the wanted class's likelihood, for rows of a matrix."""
    grad, x, target, weight, reduction, ignored, total = args
    is_mean = reduction == 1
    if kwargs or weight is not None or x.dim() != 2 or not all(device.is_usual(value) for value in (grad, x, target)):
        return NotImplemented
    each = -(grad / total if is_mean else grad)
    wanted = target.unsqueeze(1) == torch.arange(x.size(1), device=x.device)
    wanted = torch.logical_and(wanted, (target != ignored).unsqueeze(1))
    zero = torch.zeros((), dtype=x.dtype, device=x.device)
    return torch.where(wanted, each.unsqueeze(1) if each.dim() else each, zero)


def is_in(op, args, kwargs):
    x, wanted = args[:2]
    if kwargs.get("out") is not None or not device.is_usual(x) or not device.is_usual(wanted) or not wanted.numel():
        return NotImplemented
    found = torch.any(x.unsqueeze(-1) == wanted.reshape(-1), -1)
    return torch.logical_not(found) if kwargs.get("invert") else found


FOREACH = sorted({name.removeprefix("aten::").partition(".")[0].rstrip("_")
                  for name in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
                  if name.startswith("aten::_foreach_")})
OPERATIONS = {
    **{name: described for name in DESCRIBED}, **{name: each for name in FOREACH},
    "native_batch_norm": normalize_batch, "nll_loss_backward": loss_gradient, "isin.Tensor_Tensor": is_in,
}
