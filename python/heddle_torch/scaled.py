"""Products of matrices of eight and of four bits, with a factor for all of a matrix, for rows, or for blocks."""
import functools

import torch

ROWS, COLUMNS = 128, 4  # Of a tile of factors, as tensor cores take them.
# Older versions of PyTorch have not all of these.
FOURS, ONES = getattr(torch, "float4_e2m1fn_x2", None), (torch.float8_e4m3fn, torch.float8_e5m2)
FACTORS = {torch.float8_e4m3fn: 16, getattr(torch, "float8_e8m0fnu", None): 32}  # Elements that have one in common.
RESULTS = (torch.float32, torch.float16, torch.bfloat16)


@functools.cache
def values(dtype, device):
    """What each byte stands for; two numbers where it has two."""
    if dtype != FOURS:
        return torch.arange(256, dtype=torch.uint8).view(dtype).float().to(device)
    halves = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    each = torch.cat([halves, -halves])
    return torch.stack([each.repeat(16), each.repeat_interleave(16)], 1).to(device)


def decoded(x):
    """In single precision, in which these numbers are exact."""
    found = values(x.dtype, x.device)[x.view(torch.uint8).long()]
    return found.flatten(-2) if x.dtype == FOURS else found


def in_tiles(scale, rows, columns):
    """The factors of rows and columns, which lie tile by tile; None if there are not so many."""
    high, wide = -(-rows // ROWS), -(-columns // COLUMNS)
    if scale.numel() != high * ROWS * wide * COLUMNS:
        return None
    tiles = decoded(scale.contiguous().view(-1)).view(high, wide, 32, ROWS // 32, COLUMNS)
    return tiles.permute(0, 3, 2, 1, 4).reshape(high * ROWS, wide * COLUMNS)[:rows, :columns]


def spread(scale, x):
    """A factor for each element of a matrix, or what can be multiplied with it; None if it is of another form."""
    is_fours = x.dtype == FOURS
    rows, inner = x.size(0), x.size(1) * (2 if is_fours else 1)
    if scale.dtype in FACTORS:
        if is_fours != (scale.dtype == torch.float8_e4m3fn):
            return None
        width = FACTORS[scale.dtype]
        found = in_tiles(scale, rows, -(-inner // width))
        return None if found is None else found.repeat_interleave(width, 1)[:, :inner]
    if scale.dtype != torch.float32 or is_fours:
        return None
    if scale.numel() == 1:
        return scale.reshape(1, 1)
    return scale if scale.size() == (rows, 1) else None


def product(op, args, kwargs):
    """Of a matrix and one that lies column by column."""
    given = dict(zip((argument.name for argument in op._schema.arguments), args)) | kwargs
    a, b, bias, dtype = given["self"], given["mat2"].t(), given.get("bias"), given.get("out_dtype")
    if "out" in given or dtype not in RESULTS or any(x.dtype not in (FOURS, *ONES) for x in (a, b)):
        return NotImplemented
    if not all(x.is_cuda and x.is_contiguous() for x in (a, b)):
        return NotImplemented
    scales = []
    for x, scale in ((a, given["scale_a"]), (b, given["scale_b"])):
        turned = scale.t() if x is b and scale.dim() == 2 and scale.dtype == torch.float32 else scale
        scales.append(spread(turned, x))
    if any(scale is None for scale in scales):
        return NotImplemented
    left, right = (decoded(x) * scale for x, scale in zip((a, b), scales))
    made = torch.mm(left, right.t())
    return (made if bias is None else made + bias).to(dtype)


OPERATIONS = {"_scaled_mm": product}
