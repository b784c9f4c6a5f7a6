"""Operations that need more than to run on the host with the same name."""
import torch

from heddle_torch import device, host, transfers

aten = torch.ops.aten


def copy_(to, source, non_blocking=False):
    """Copies without a change of type or strides are the driver's; others are made on
    the host."""
    same = (to.dtype == source.dtype and to.size() == source.size() and to.stride() == source.stride()
            and transfers.is_dense(to) and to.is_conj() == source.is_conj() and to.is_neg() == source.is_neg())
    if same and to.layout == torch.strided:
        size = to.numel() * to.element_size()
        on_device = to.is_cuda and source.is_cuda
        if to.data_ptr() != source.data_ptr():
            transfers.copy_bytes(to.data_ptr(), source.data_ptr(), size, not on_device)
        return to
    if to.is_cuda and source.is_cuda:
        if device.copies(to, source):
            return to
        host.count("aten::copy_")
    from_host = transfers.to_host(source) if source.is_cuda else source
    if not to.is_cuda:
        return aten.copy_.default(to, from_host)
    if transfers.is_dense(to) and from_host.dtype == to.dtype and not to.is_conj() and not to.is_neg():
        made = torch.empty_strided(to.size(), to.stride(), dtype=to.dtype)
    else:
        made = transfers.to_host(to)
    made.copy_(from_host)
    transfers.write_back(to, made)
    return to


def uses_no_cudnn(*args):
    return False


def conv_depthwise2d(x, weight, kernel_size, bias, stride, padding, dilation):
    return torch.conv2d(x, weight, bias, stride, padding, dilation, groups=x.size(1))


def conv_depthwise3d(x, weight, kernel_size, bias, stride, padding, dilation):
    return torch.conv3d(x, weight, bias, stride, padding, dilation, groups=x.size(1))


def fused_dropout(x, p, generator=None):
    """Here p is the part that is kept."""
    mask = torch.rand(x.size(), generator=generator, dtype=torch.float32, device=x.device).lt(p)
    return x * mask.to(x.dtype) / p, mask.to(torch.uint8)


def masked_scale(x, mask, scale):
    return x * mask.to(x.dtype) * scale


def lstm_cell(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    """The gates' activations, as the backward pass wants them, beside the new state."""
    gates = input_gates + hidden_gates
    if input_bias is not None:
        gates = gates + input_bias + hidden_bias
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def lstm_cell_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
    i, f, g, o = workspace.chunk(4, 1)
    tanh_cy = cy.tanh()
    grad_hy = torch.zeros_like(cy) if grad_hy is None else grad_hy
    grad = grad_hy * o * (1 - tanh_cy * tanh_cy)
    grad = grad if grad_cy is None else grad + grad_cy
    grad_gates = torch.cat([grad * g * i * (1 - i), grad * cx * f * (1 - f), grad * i * (1 - g * g),
                            grad_hy * tanh_cy * o * (1 - o)], 1)
    return grad_gates, grad * f, grad_gates.sum(0) if has_bias else None


def gru_cell(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    if input_bias is not None:
        input_gates, hidden_gates = input_gates + input_bias, hidden_gates + hidden_bias
    ri, zi, ni = input_gates.chunk(3, 1)
    rh, zh, nh = hidden_gates.chunk(3, 1)
    r, z = (ri + rh).sigmoid(), (zi + zh).sigmoid()
    n = (ni + r * nh).tanh()
    return n + z * (hx - n), torch.cat([r, z, n, hx, nh], 1)


def gru_cell_backward(grad_hy, workspace, has_bias):
    r, z, n, hx, nh = workspace.chunk(5, 1)
    grad_n = grad_hy * (1 - z) * (1 - n * n)
    grad_z = grad_hy * (hx - n) * z * (1 - z)
    grad_r = grad_n * nh * r * (1 - r)
    grad_input = torch.cat([grad_r, grad_z, grad_n], 1)
    grad_hidden = torch.cat([grad_r, grad_z, grad_n * r], 1)
    biases = (grad_input.sum(0), grad_hidden.sum(0)) if has_bias else (None, None)
    return grad_input, grad_hidden, grad_hy * z, *biases


def mm(a, b, dtype, *, out=None):
    """Products of narrow types are exact in the wide one."""
    return torch.mm(a.to(dtype), b.to(dtype), out=out)


def bmm(a, b, dtype, *, out=None):
    return torch.bmm(a.to(dtype), b.to(dtype), out=out)


def addmm(x, a, b, dtype, *, beta=1, alpha=1, out=None):
    return torch.addmm(x.to(dtype), a.to(dtype), b.to(dtype), beta=beta, alpha=alpha, out=out)


def baddbmm(x, a, b, dtype, *, beta=1, alpha=1, out=None):
    return torch.baddbmm(x.to(dtype), a.to(dtype), b.to(dtype), beta=beta, alpha=alpha, out=out)


# What stands for an operation, with tensors on the device; PyTorch has most of these for GPUs alone.
ON_DEVICE = {
    "aten::copy_": copy_,
    "aten::_use_cudnn_ctc_loss": uses_no_cudnn,
    "aten::_use_cudnn_ctc_loss.Tensor": uses_no_cudnn,
    "aten::_use_miopen_ctc_loss": uses_no_cudnn,
    "aten::_use_miopen_ctc_loss.Tensor": uses_no_cudnn,
    "aten::_conv_depthwise2d": conv_depthwise2d,
    "aten::conv_depthwise3d": conv_depthwise3d,
    "aten::_fused_dropout": fused_dropout,
    "aten::_masked_scale": masked_scale,
    "aten::_thnn_fused_lstm_cell": lstm_cell,
    "aten::_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
    "aten::_thnn_fused_gru_cell": gru_cell,
    "aten::_thnn_fused_gru_cell_backward": gru_cell_backward,
    **{f"aten::{function.__name__}.{which}": function
       for function in (mm, bmm, addmm, baddbmm) for which in ("dtype", "dtype_out")},
}
# Operations of all devices that have kernels for each inside.
COMPOSITE = ("aten::convolution", "aten::convolution_backward")
# Operations that launch no kernel: what they make of storages, sizes and strides, and
# copies.
WITHOUT_KERNELS = {
    "aten::_local_scalar_dense", "aten::_pin_memory", "aten::as_strided", "aten::empty.memory_format",
    "aten::empty_strided", "aten::is_pinned", "aten::is_set_to", "aten::record_stream", "aten::resize_",
    "aten::set_", "aten::set_.source_Storage", "aten::set_.source_Storage_storage_offset",
    "aten::set_.source_Tensor", "aten::view", "aten::_efficientzerotensor",
}
