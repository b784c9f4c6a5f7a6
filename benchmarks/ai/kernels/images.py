"""Operators on images, channels last: convolution as a product of matrices, pooling, groups of channels."""
import triton
import triton.language as tl

from common import silu


@triton.jit
def conv2d(
    x, w, bias, residual, out, batch, height, width, channels, outputs, p, q, stride, pad,
    EPILOGUE: tl.constexpr, R: tl.constexpr, S: tl.constexpr, FLAT: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """Rows are places of the output, columns its channels. With FLAT, a filter's places and channels count as one."""
    tiles = tl.cdiv(outputs, BN)
    place = tl.program_id(0) // tiles * BM + tl.arange(0, BM)
    column = tl.program_id(0) % tiles * BN + tl.arange(0, BN)
    b_column = tl.max_contiguous(tl.multiple_of(column % outputs, BN), BN).to(tl.int64)
    present = place < batch * p * q
    image = place // (p * q)
    top = place // q % p * stride - pad
    left = place % q * stride - pad
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    depth = R * S * channels
    blocks = tl.cdiv(channels, BK)
    steps = tl.cdiv(depth, BK) if FLAT else R * S * blocks
    if not FLAT:
        # Of each row once: where its filter begins, and which places of it are in the picture.
        first = ((image * height + top) * width + left).to(tl.int64) * channels
        a_row = x + first[:, None] + inner[None, :]
        b_row = w + b_column[None, :] * depth + inner[:, None]
        taken = tl.zeros((BM,), tl.int32)
        for number in tl.static_range(R * S):
            below, beside = top + number // S, left + number % S
            exists = present & (below >= 0) & (below < height) & (beside >= 0) & (beside < width)
            taken |= exists.to(tl.int32) << number
    for step in tl.range(0, steps, num_stages=STAGES):
        if FLAT:
            at = step * BK + inner
            tap = at // channels
            y, z = top[:, None] + (tap // S)[None, :], left[:, None] + (tap % S)[None, :]
            channel = at % channels
            known = at < depth
            inside = present[:, None] & (y >= 0) & (y < height) & (z >= 0) & (z < width) & known[None, :]
            source = ((image[:, None] * height + y) * width + z).to(tl.int64) * channels + channel[None, :]
            a_tile = tl.load(x + source, mask=inside, other=0.0)
            b_tile = tl.load(w + b_column[None, :] * depth + at[:, None], mask=known[:, None], other=0.0)
        else:
            tap, block = step // blocks, step % blocks
            known = block * BK + inner < channels
            inside = ((taken >> tap) & 1 != 0)[:, None] & known[None, :]
            a_tile = tl.load(a_row + ((tap // S * width + tap % S) * channels + block * BK), mask=inside, other=0.0)
            b_tile = tl.load(b_row + (tap * channels + block * BK), mask=known[:, None], other=0.0)
        total = tl.dot(a_tile, b_tile, total)
    inside = present[:, None] & (column[None, :] < outputs)
    target = place[:, None].to(tl.int64) * outputs + column[None, :]
    if EPILOGUE != "none":
        total += tl.load(bias + column, mask=column < outputs, other=0.0).to(tl.float32)[None, :]
    if EPILOGUE == "bias_residual" or EPILOGUE == "bias_residual_relu":
        total += tl.load(residual + target, mask=inside, other=0.0).to(tl.float32)
    if EPILOGUE == "bias_relu" or EPILOGUE == "bias_residual_relu":
        total = tl.maximum(total, 0.0)
    tl.store(out + target, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def pool(
    x, out, elements, height, width, channels, p, q, stride, pad,
    AVERAGE: tl.constexpr, R: tl.constexpr, S: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The largest or the mean of a window; places outside of the picture count for neither."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    present = at < elements
    channel = at % channels
    place = at // channels
    left = place % q * stride - pad
    top = place // q % p * stride - pad
    image = place // (p * q)
    result = tl.full((BLOCK,), 0.0 if AVERAGE else float("-inf"), tl.float32)
    count = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.range(0, R * S):
        y, z = top + tap // S, left + tap % S
        inside = present & (y >= 0) & (y < height) & (z >= 0) & (z < width)
        source = ((image * height + y) * width + z).to(tl.int64) * channels + channel
        if AVERAGE:
            result += tl.load(x + source, mask=inside, other=0.0).to(tl.float32)
            count += inside.to(tl.float32)
        else:
            result = tl.maximum(result, tl.load(x + source, mask=inside, other=float("-inf")).to(tl.float32))
    if AVERAGE:
        result /= tl.maximum(count, 1.0)
    tl.store(out + at, result.to(out.dtype.element_ty), mask=present)


@triton.jit
def upsample(x, out, elements, height, width, channels, BLOCK: tl.constexpr):
    """Twice as high and wide, each place four times."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    present = at < elements
    place = at // channels
    z = place % (2 * width) // 2
    y = place // (2 * width) % (2 * height) // 2
    image = place // (4 * width * height)
    source = ((image * height + y) * width + z).to(tl.int64) * channels + at % channels
    tl.store(out + at, tl.load(x + source, mask=present), mask=present)


@triton.jit
def channel_sums(x, sums, squares, places, channels, per_part, ROWS: tl.constexpr, BC: tl.constexpr):
    """Sums and sums of squares of each channel, over a part of a picture's places."""
    part, block, image = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    row, channel = tl.arange(0, ROWS), block * BC + tl.arange(0, BC)
    total = tl.zeros((ROWS, BC), tl.float32)
    square = tl.zeros((ROWS, BC), tl.float32)
    last = tl.minimum(part * per_part + per_part, places)
    for first in tl.range(part * per_part, last, ROWS):
        inside = (first + row[:, None] < last) & (channel[None, :] < channels)
        source = (image * places + first + row[:, None]).to(tl.int64) * channels + channel[None, :]
        values = tl.load(x + source, mask=inside, other=0.0).to(tl.float32)
        total += values
        square += values * values
    target = (image * tl.num_programs(0) + part) * channels + channel
    tl.store(sums + target, tl.sum(total, axis=0), mask=channel < channels)
    tl.store(squares + target, tl.sum(square, axis=0), mask=channel < channels)


@triton.jit
def group_moments(
    sums, squares, moments, parts, channels, in_group, places, epsilon, BP: tl.constexpr, BC: tl.constexpr
):
    """The mean of a group of channels, and one over its deviation."""
    group, image = tl.program_id(0), tl.program_id(1)
    part, channel = tl.arange(0, BP), tl.arange(0, BC)
    inside = (part[:, None] < parts) & (channel[None, :] < in_group)
    source = (image * parts + part[:, None]) * channels + group * in_group + channel[None, :]
    count = in_group.to(tl.float32) * places
    mean = tl.sum(tl.load(sums + source, mask=inside, other=0.0)) / count
    square = tl.sum(tl.load(squares + source, mask=inside, other=0.0)) / count
    target = (image * tl.num_programs(0) + group) * 2
    tl.store(moments + target, mean)
    tl.store(moments + target + 1, tl.rsqrt(square - mean * mean + epsilon))


@triton.jit
def group_norm(
    x, moments, weight, bias, out, elements, per_image, channels, in_group, SILU: tl.constexpr, BLOCK: tl.constexpr
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    present = at < elements
    channel = (at % channels).to(tl.int32)
    group = (at // per_image).to(tl.int32) * (channels // in_group) + channel // in_group
    mean = tl.load(moments + group * 2, mask=present, other=0.0)
    inverse = tl.load(moments + group * 2 + 1, mask=present, other=0.0)
    values = tl.load(x + at, mask=present, other=0.0).to(tl.float32)
    values = (values - mean) * inverse * tl.load(weight + channel, mask=present, other=0.0).to(tl.float32)
    values += tl.load(bias + channel, mask=present, other=0.0).to(tl.float32)
    if SILU:
        values = silu(values)
    tl.store(out + at, values.to(out.dtype.element_ty), mask=present)
