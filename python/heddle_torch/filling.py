"""Operations that write numbers by a rule: lines, identities, random numbers."""
import triton
from triton import language as tl

import torch

from heddle_torch import device, kernels
from heddle_torch.formed import formed

BLOCK = 256


@triton.jit(do_not_specialize=["count", "seed", "draw"], do_not_specialize_on_alignment=["out"])
def draw_numbers(out, count, seed, draw, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Random numbers of Philox: 64 bits, from 0 up to 1, or of the normal distribution."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    nothing = tl.zeros_like(at)
    a, b, c, d = tl.philox(seed, at.to(tl.uint32), nothing.to(tl.uint32), (nothing + draw).to(tl.uint32),
                           nothing.to(tl.uint32))
    first, second = (a.to(tl.uint64) << 32) | b.to(tl.uint64), (c.to(tl.uint64) << 32) | d.to(tl.uint64)
    if KIND == "bits":
        tl.store(out + at, first.to(tl.int64, bitcast=True), at < count)
    elif KIND == "uniform":
        if out.dtype.element_ty == tl.float64:
            tl.store(out + at, (first >> 11).to(tl.float64) * 1.1102230246251565e-16, at < count)
        else:
            tl.store(out + at, (a >> 8).to(tl.float32) * 5.9604644775390625e-08, at < count)
    else:
        if out.dtype.element_ty == tl.float64:
            radius = ((first >> 11).to(tl.float64) + 1) * 1.1102230246251565e-16
            turn = (second >> 11).to(tl.float64) * 1.1102230246251565e-16
        else:
            radius = ((a >> 8).to(tl.float32) + 1) * 5.9604644775390625e-08
            turn = (b >> 8).to(tl.float32) * 5.9604644775390625e-08
        value = tl.sqrt(-2.0 * tl.log(radius)) * tl.cos(6.283185307179586 * turn)
        tl.store(out + at, value, at < count)


def drawn(like, kind, dtype, generator=None):
    """Random numbers in the extents of a tensor; None while a graph is made, which would draw the same each time."""
    if torch.cuda.is_current_stream_capturing():
        return None
    generator = generator or torch.cuda.default_generators[like.device.index or 0]
    offset = generator.get_offset()
    generator.set_offset(offset + 4)
    made = torch.empty(like.size(), dtype=dtype, device=like.device)
    if made.numel():
        seed = (generator.initial_seed() + 2**63) % 2**64 - 2**63
        draw_numbers[(triton.cdiv(made.numel(), BLOCK), )](made, made.numel(), seed, offset // 4, KIND=kind,
                                                           BLOCK=BLOCK, **kernels.OPTIONS)
    return made


def wide(dtype):
    return torch.float64 if dtype == torch.float64 else torch.float32


def drawing(kind):
    """An operation that computes its result from random numbers, which it gets in front of its own arguments."""
    def decorate(function):
        def carry_out(x, *args, generator=None, **kwargs):
            numbers = drawn(x, kind, torch.int64 if kind == "bits" else wide(x.dtype), generator)
            if numbers is None:
                return NotImplemented
            return function(numbers, x, *args, **kwargs)
        return carry_out
    return decorate


@drawing("uniform")
def uniform(numbers, x, low=0.0, high=1.0):
    made = (numbers if (low, high) == (0, 1) else numbers * (high - low) + low).to(x.dtype)
    return torch.where(made == high, low, made) if x.dtype in (torch.float16, torch.bfloat16) else made


@drawing("normal")
def normal(numbers, x, mean=0.0, std=1.0):
    return numbers if (mean, std) == (0, 1) else numbers * std + mean


@drawing("normal")
def normal_about(numbers, mean, std=1.0):
    """About a tensor of means."""
    return (numbers * std + mean).to(mean.dtype)


def normal_of(mean, std, *, generator=None):
    """About one mean, of a tensor of deviations."""
    return normal_about(torch.zeros_like(std) + mean, std, generator=generator)


@drawing("uniform")
def bernoulli_in(numbers, x, p=0.5):
    """One with a probability, which may be one for each element."""
    return (numbers < (p.to(numbers.dtype) if isinstance(p, torch.Tensor) else p)).to(x.dtype)


def bernoulli(p, *, generator=None):
    return bernoulli_in(p, p, generator=generator)


def limit_of(dtype):
    """What whole random numbers of a type are below, where nothing is said."""
    digits = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8, torch.bool: 0}
    return 2**digits[dtype] + 1 if dtype in digits else torch.iinfo(dtype).max + 1


def remainders(numbers, span):
    """Of 64 bits without a sign, of which a span of more than half of all is left out once at most."""
    if span == 2**64:
        return numbers
    if span > 2**63:
        return torch.where((numbers ^ -2**63) < span - 2**63, numbers, numbers - (span - 2**64))
    numbers = numbers & 0x7FFFFFFFFFFFFFFF
    return numbers if span == 2**63 else torch.remainder(numbers, span)


@drawing("bits")
def whole(numbers, x, low=0, high=None):
    """From low on and below high, or up to the most that the type holds."""
    return (remainders(numbers, (limit_of(x.dtype) if high is None else high) - low) + low).to(x.dtype)


def whole_to(x, high, *, generator=None):
    return whole(x, 0, high, generator=generator)


@drawing("uniform")
def exponential(numbers, x, rate=1.0):
    """1 less what was drawn is never zero."""
    return torch.log(1 - numbers) * (-1 / rate)


@drawing("uniform")
def geometric(numbers, x, p):
    return torch.ceil(torch.log(1 - numbers) / torch.log1p(torch.full((), -p, dtype=numbers.dtype,
                                                                    device=x.device))).clamp_min(1)


@drawing("uniform")
def cauchy(numbers, x, median=0.0, sigma=1.0):
    return torch.tan((numbers - 0.5) * 3.141592653589793) * sigma + median


@drawing("normal")
def log_normal(numbers, x, mean=1.0, std=2.0):
    return torch.exp(numbers * std + mean)


def leaking(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    """Of what is not above zero a random part."""
    if not training:
        return torch.nn.functional.leaky_relu(x, (lower + upper) / 2)
    numbers = drawn(x, "uniform", wide(x.dtype), generator)
    if numbers is None:
        return NotImplemented
    part = torch.where(x <= 0, numbers * (upper - lower) + lower, 1.0)
    noise.copy_(part)
    return (x.to(part.dtype) * part).to(x.dtype)


def dropout(x, p, train=None):
    if train is False or not x.numel():
        return x.clone(), torch.ones(x.size(), dtype=torch.bool, device=x.device)
    numbers = drawn(x, "uniform", torch.float32)
    if numbers is None:
        return NotImplemented
    mask = numbers < 1 - p
    return x * mask * (1 / (1 - p) if p < 1 else 0.0), mask


def dropout_gradient(grad, mask, scale):
    return grad * mask.to(grad.dtype) * scale


def multinomial(p, num_samples, replacement=False, *, generator=None):
    """By the largest of probabilities over exponential numbers, or by where numbers fall among their sums."""
    weights = p.float() if p.dtype in device.FLOATS else p
    if replacement and num_samples > 1:
        sums = torch.cumsum(weights, -1)
        numbers = drawn(p.new_empty([*p.size()[:-1], num_samples]), "uniform", weights.dtype, generator)
        if numbers is None:
            return NotImplemented
        return torch.searchsorted(sums, (numbers * sums[..., -1:]).contiguous(), right=True).clamp_max(p.size(-1) - 1)
    times = torch.empty_like(weights).exponential_(1, generator=generator)
    return torch.topk(weights / times, num_samples, -1)[1]


def permutation(op, args, kwargs):
    """The order of random numbers, of which two are the same once in very many times."""
    out, generator = kwargs["out"], kwargs.get("generator")
    if not device.is_usual(out) or args[0] > torch.iinfo(torch.int32).max:
        return NotImplemented
    if out.size() != (args[0], ):
        out.resize_(args[0])
    numbers = drawn(out, "bits", torch.int64, generator)
    return NotImplemented if numbers is None else out.copy_(torch.argsort(numbers))


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
    **{name: formed(function) for name, function in {
        "uniform": uniform, "normal_": normal, "normal.Tensor_Tensor": normal_about,
        "normal.Tensor_float": normal_about, "normal.float_Tensor": normal_of, "bernoulli_": bernoulli_in,
        "bernoulli_.float": bernoulli_in, "bernoulli_.Tensor": bernoulli_in, "bernoulli": bernoulli,
        "bernoulli.out": bernoulli, "random_": whole, "random_.to": whole_to, "random_.from": whole,
        "exponential": exponential, "geometric": geometric, "cauchy": cauchy, "log_normal": log_normal,
        "rrelu_with_noise": leaking, "native_dropout": dropout, "native_dropout_backward": dropout_gradient,
        "multinomial": multinomial,
    }.items()},
    "randperm": permutation, "linspace": lines(False), "logspace": lines(True), "arange.start_out": steps,
    "eye": identity, "tril_indices": indices_of(True), "triu_indices": indices_of(False),
}
