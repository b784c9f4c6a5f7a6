"""Operations that others are put together for, as PyTorch describes them."""
import torch
from torch._decomp import decomposition_table

from heddle_torch import device
from heddle_torch.formed import formed

# Those of PyTorch's descriptions that are of operations with kernels of ours.
DESCRIBED = (
    "native_layer_norm", "native_layer_norm_backward", "native_batch_norm_backward", "native_group_norm",
    "native_group_norm_backward", "batch_norm_backward", "_native_batch_norm_legit", "_batch_norm_with_update",
    "nll_loss_forward", "nll_loss_backward", "nll_loss2d_forward", "nll_loss2d_backward", "mse_loss",
    "mse_loss_backward", "smooth_l1_loss", "smooth_l1_loss_backward", "huber_loss", "huber_loss_backward",
    "binary_cross_entropy", "binary_cross_entropy_backward", "soft_margin_loss", "soft_margin_loss_backward",
    "multilabel_margin_loss_forward", "multi_margin_loss", "_softmax_backward_data", "_log_softmax_backward_data",
    "gelu_backward", "silu_backward", "elu", "elu_backward", "glu", "glu_backward", "hardsigmoid_backward",
    "hardswish_backward", "hardtanh_backward", "leaky_relu_backward", "log_sigmoid_forward", "log_sigmoid_backward",
    "mish_backward", "softplus_backward", "sigmoid_backward", "tanh_backward", "logit_backward", "_prelu_kernel",
    "_prelu_kernel_backward", "rrelu_with_noise_backward", "im2col", "col2im", "linalg_cross",
    "channel_shuffle", "native_channel_shuffle", "addr", "grid_sampler_2d", "_chunk_cat", "_euclidean_dist",
    "_fused_rms_norm", "_fused_rms_norm_backward",
)


def described(op, args, kwargs):
    """By PyTorch's description; where a result goes is none of its business."""
    packet = op.overloadpacket
    is_out = any(argument.is_out for argument in op._schema.arguments)
    function = decomposition_table.get(packet.default if is_out and "default" in packet.overloads() else op)
    return NotImplemented if function is None else formed(function, has_form=True)(op, args, kwargs)


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
        return described(op, args, kwargs)
    each = -(grad / total if is_mean else grad)
    wanted = target.unsqueeze(1) == torch.arange(x.size(1), device=x.device)
    wanted = torch.logical_and(wanted, (target != ignored).unsqueeze(1))
    zero = torch.zeros((), dtype=x.dtype, device=x.device)
    return torch.where(wanted, each.unsqueeze(1) if each.dim() else each, zero)


def shrunk_gradient(grad, x, lambd):
    """Of what is zero near zero."""
    return torch.where((x >= -lambd) & (x <= lambd), torch.zeros((), dtype=grad.dtype, device=grad.device), grad)


def is_in(op, args, kwargs):
    x, wanted = args[:2]
    if kwargs.get("out") is not None or not device.is_usual(x) or not device.is_usual(wanted) or not wanted.numel():
        return NotImplemented
    found = torch.any(x.unsqueeze(-1) == wanted.reshape(-1), -1)
    return torch.logical_not(found) if kwargs.get("invert") else found


def without(x, dim):
    return [which for which in range(x.dim()) if which != dim]


def normed_weight(v, g, dim=0):
    """Weights whose lengths are given, and the lengths that they had."""
    lengths = torch.linalg.vector_norm(v.float() if v.dtype in device.FLOATS else v, 2, without(v, dim), keepdim=True)
    return v * (g / lengths).to(v.dtype), lengths


def normed_weight_gradient(grad, v, g, lengths, dim):
    along = (grad * v).to(lengths.dtype).sum(without(v, dim), keepdim=True) / lengths
    return (g / lengths).to(v.dtype) * (grad - v * (along / lengths).to(v.dtype)), along.to(g.dtype)


def grouped_product(x, y, offs=None, bias=None, out_dtype=None):
    """Products of matrices, a part of one of them for each group; offs has where each part ends."""
    if bias is not None or out_dtype not in (None, x.dtype):
        return NotImplemented
    if offs is None:
        return torch.bmm(x, y)
    ends = offs.tolist()
    parts = [slice(begin, end) for begin, end in zip([0, *ends], ends)]
    if x.dim() == 3:
        made = x.new_zeros(x.size(1), y.size(1))
        for group, part in enumerate(parts):
            made[:, part] = x[group] @ y[:, part]
    elif y.dim() == 3:
        made = x.new_zeros(x.size(0), y.size(2))
        for group, part in enumerate(parts):
            made[part] = x[part] @ y[group]
    else:
        made = torch.stack([x[:, part] @ y[part] for part in parts])
    return made


FOREACH = sorted({name.removeprefix("aten::").partition(".")[0].rstrip("_")
                  for name in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
                  if name.startswith("aten::_foreach_")})
OPERATIONS = {
    **{name: described for name in DESCRIBED}, **{name: each for name in FOREACH},
    "native_batch_norm": normalize_batch, "_native_batch_norm_legit": normalize_batch,
    "_native_batch_norm_legit.no_stats": described, "nll_loss_backward": loss_gradient, "isin.Tensor_Tensor": is_in,
    "_weight_norm_interface": formed(normed_weight), "_grouped_mm": formed(grouped_product, has_form=True),
    "_weight_norm_interface_backward": formed(normed_weight_gradient), "hardshrink_backward": formed(shrunk_gradient),
    "softshrink_backward": formed(shrunk_gradient),
}
