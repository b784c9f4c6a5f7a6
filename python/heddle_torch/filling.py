"""Operations that write numbers by a rule: lines, steps, identities, places of triangles."""
import triton
from triton import language as tl

import torch

from heddle_torch import device, kernels

BLOCK = 256


def line(start, end, steps, out):
    """From both ends, so that both are met."""
    if isinstance(start, torch.Tensor) or isinstance(end, torch.Tensor):
        start, end = (value.item() if isinstance(value, torch.Tensor) else value for value in (start, end))
    if isinstance(start, complex) or isinstance(end, complex):
        return None
    if not out.dtype.is_floating_point:
        start, end = int(start), int(end)
    each = torch.arange(steps, device=out.device).to(torch.float64)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    return torch.where(each < steps // 2 if steps > 1 else each == 0, each * step + start,
                       (each - (steps - 1)) * step + end)


def lines(is_power):
    def carry_out(op, args, kwargs):
        out, base = kwargs["out"], args[3] if len(args) > 3 else kwargs.get("base", 10.0)
        made = line(*args[:3], out) if device.is_usual(out) else None
        if made is None:
            return NotImplemented
        if is_power:
            made = torch.pow(base, made)
        if out.size() != made.size():
            out.resize_(made.size())
        return out.copy_(made)
    return carry_out


@triton.jit(do_not_specialize=["count", "begin", "step"], do_not_specialize_on_alignment=["out"])
def count_up(out, count, begin, step, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, begin + at.to(tl.int64) * step, at < count)


def counted(count, begin, step, where):
    made = torch.empty(count, dtype=torch.int64, device=where)
    if count:
        count_up[(triton.cdiv(count, BLOCK), )](made, count, begin, step, BLOCK=BLOCK, **kernels.OPTIONS)
    return made


def steps(op, args, kwargs):
    """Numbers from a beginning on in steps, into out."""
    out, (begin, _, step) = kwargs["out"], (*args, 1)[:3] if len(args) > 1 else (0, args[0], 1)
    made = op(*args, out=torch.empty(0, dtype=out.dtype, device="meta"))
    if not device.is_usual(out):
        return NotImplemented
    if out.size() != made.size():
        out.resize_(made.size())
    if not out.dtype.is_floating_point:
        return out.copy_(counted(out.numel(), int(begin), int(step), out.device))
    if out.dtype != torch.float64:
        begin, step = (torch.tensor(value, dtype=torch.float32).item() for value in (begin, step))
    return out.copy_(counted(out.numel(), 0, 1, out.device).to(torch.float64) * step + begin)


def identity(op, args, kwargs):
    out = kwargs["out"]
    n, m = (args[0], args[1] if len(args) > 1 else args[0])
    if not device.is_usual(out):
        return NotImplemented
    made = torch.arange(n, device=out.device).unsqueeze(1) == torch.arange(m, device=out.device)
    if out.size() != made.size():
        out.resize_(made.size())
    return out.copy_(made)


def indices_of(is_lower):
    """The rows and columns of a triangle."""
    def carry_out(op, args, kwargs):
        row, col = args[:2]
        offset = args[2] if len(args) > 2 else kwargs.get("offset", 0)
        where = torch.device("cuda", torch.cuda.current_device()) if kwargs.get("device") is None else kwargs["device"]
        limit = torch.arange(row, device=where).unsqueeze(1) + offset
        columns = torch.arange(col, device=where)
        found = torch.nonzero(columns <= limit if is_lower else columns >= limit)
        return found.t().to(kwargs.get("dtype") or torch.int64).contiguous()
    return carry_out


OPERATIONS = {
    "linspace": lines(False), "logspace": lines(True), "arange.start_out": steps,
    "eye": identity, "tril_indices": indices_of(True), "triu_indices": indices_of(False),
}
