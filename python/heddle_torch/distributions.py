"""Operations that draw random numbers, by the rules of PyTorch's kernels, so that a seed gives what a GPU has."""
import torch

from heddle_torch import device
from heddle_torch.formed import formed
from heddle_torch.philox import BLOCK, drawn

# The least span of whole numbers for which two words are drawn.
WIDE_SPAN = 2**28


def of_type(kind, dtype):
    """Uniform or normal numbers of the precision that a type is computed in."""
    return f"{kind} double" if dtype == torch.float64 else kind


def drawing(kind):
    """An operation that computes its result from random numbers, which it gets in front of its own arguments."""
    def decorate(function):
        def carry_out(x, *args, generator=None, **kwargs):
            numbers = drawn(x, of_type(kind, x.dtype), generator)
            return NotImplemented if numbers is None else function(numbers, x, *args, **kwargs)
        return carry_out
    return decorate


@drawing("uniform")
def uniform(numbers, x, low=0.0, high=1.0):
    """What was drawn is never 0 and may be 1; the upper bound stands for the lower one, which is wanted."""
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f"uniform_ of {x.dtype}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    made = (numbers if (low, high) == (0, 1) else numbers * (high - low) + low).to(x.dtype)
    return torch.where(made == high, low, made)


@drawing("normal")
def normal(numbers, x, mean=0.0, std=1.0):
    return numbers if (mean, std) == (0, 1) else numbers * std + mean


def normal_about(mean, std=1.0, *, generator=None):
    """About a tensor of means."""
    numbers = normal(mean, generator=generator)
    return NotImplemented if numbers is NotImplemented else (numbers * std + mean).to(mean.dtype)


def normal_of(mean, std, *, generator=None):
    """About one mean, of a tensor of deviations."""
    return normal_about(torch.zeros_like(std) + mean, std, generator=generator)


def bernoulli_in(x, p=0.5, *, generator=None):
    """One with a probability, which may be one for each element."""
    if isinstance(p, torch.Tensor) and p.is_cuda:
        # A thread takes four neighbours, and there are as many as it takes.
        numbers = drawn(x, "uniform", generator, width=4, threads=-(-x.numel() // 4 // BLOCK) * BLOCK, words=12)
        return NotImplemented if numbers is None else (numbers <= p.to(numbers.dtype)).to(x.dtype)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    numbers = drawn(x, of_type("uniform", x.dtype), generator)
    return NotImplemented if numbers is None else (numbers < p).to(x.dtype)


def bernoulli(p, *, generator=None):
    return bernoulli_in(p, p, generator=generator)


def limit_of(dtype):
    """What whole random numbers of a type are below, where nothing is said."""
    digits = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8, torch.bool: 0}
    return 2**digits[dtype] + 1 if dtype in digits else torch.iinfo(dtype).max + 1


def least_of(dtype):
    return 0 if dtype == torch.bool else torch.iinfo(dtype).min


def remainders(numbers, span):
    """Of 64 bits without a sign, of which a span of more than half of all is left out once at most."""
    if span == 2**64:
        return numbers
    if span > 2**63:
        return torch.where((numbers ^ -2**63) < span - 2**63, numbers, numbers - (span - 2**64))
    numbers = numbers & 0x7FFFFFFFFFFFFFFF
    return numbers if span == 2**63 else torch.remainder(numbers, span)


def whole_in(x, low, span, kind, generator):
    numbers = drawn(x, kind, generator)
    return NotImplemented if numbers is None else (remainders(numbers, span) + low).to(x.dtype)


def whole(x, low=0, high=None, *, generator=None):
    """From low on and below high, or up to the most that the type holds."""
    span = (limit_of(x.dtype) if high is None else high) - low
    if span <= 0:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if high is not None and not x.dtype.is_floating_point and not least_of(x.dtype) <= low < high <= limit_of(x.dtype):
        raise RuntimeError(f"from or to - 1 is out of bounds for {x.dtype}")
    return whole_in(x, low, span, "long" if span >= WIDE_SPAN else "word", generator)


def whole_of_type(x, *, generator=None):
    """Up to the most that the type holds."""
    kind = "long" if x.dtype in (torch.float64, torch.int64) else "word"
    return whole_in(x, 0, limit_of(x.dtype), kind, generator)


def whole_to(x, high, *, generator=None):
    return whole(x, 0, high, generator=generator)


@drawing("uniform")
def exponential(numbers, x, rate=1.0):
    """The logarithm of what rounds to 1 is half of the least step below 1, so that no result is 0."""
    half_step = torch.finfo(numbers.dtype).eps / 2
    return torch.where(numbers >= 1 - half_step, -half_step, torch.log(numbers)) * (-1 / rate)


@drawing("uniform")
def geometric(numbers, x, p):
    return torch.ceil(torch.log(numbers) / torch.log(torch.full((), 1 - p, dtype=numbers.dtype, device=x.device)))


@drawing("uniform")
def cauchy(numbers, x, median=0.0, sigma=1.0):
    """Numbers at both ends, where the tangent has none, count as the next ones."""
    step = torch.finfo(numbers.dtype).eps
    return torch.tan((numbers.clamp(step, 1 - step) - 0.5) * 3.141592653589793) * sigma + median


@drawing("normal")
def log_normal(numbers, x, mean=1.0, std=2.0):
    return torch.exp(numbers * std + mean)


def leaking(x, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    """Of what is not above zero a random part."""
    if not training:
        return torch.nn.functional.leaky_relu(x, (lower + upper) / 2)
    numbers = drawn(x, of_type("uniform", x.dtype), generator)
    if numbers is None:
        return NotImplemented
    part = torch.where(x <= 0, numbers * (upper - lower) + lower, 1.0)
    noise.copy_(part)
    return (x.to(part.dtype) * part).to(x.dtype)


def dropout(x, p, train=None):
    """Threads take as many neighbours as divide the elements, up to four."""
    if train is False or not x.numel():
        return x.clone(), torch.ones(x.size(), dtype=torch.bool, device=x.device)
    numbers = drawn(x, "uniform", width=next(width for width in (4, 2, 1) if x.numel() % width == 0))
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
        numbers = drawn(p.new_empty([*p.size()[:-1], num_samples]), of_type("uniform", weights.dtype), generator)
        if numbers is None:
            return NotImplemented
        # What is drawn may be 1, where nothing is.
        numbers = torch.where(numbers == 1, 0, numbers)
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
    numbers = drawn(out, "long", generator)
    return NotImplemented if numbers is None else out.copy_(torch.argsort(numbers))


OPERATIONS = {
    **{name: formed(function) for name, function in {
        "uniform": uniform, "normal_": normal, "normal.Tensor_Tensor": normal_about,
        "normal.Tensor_float": normal_about, "normal.float_Tensor": normal_of, "bernoulli_": bernoulli_in,
        "bernoulli_.float": bernoulli_in, "bernoulli_.Tensor": bernoulli_in, "bernoulli": bernoulli,
        "bernoulli.out": bernoulli, "random_": whole_of_type, "random_.to": whole_to, "random_.from": whole,
        "exponential": exponential, "geometric": geometric, "cauchy": cauchy, "log_normal": log_normal,
        "rrelu_with_noise": leaking, "native_dropout": dropout, "native_dropout_backward": dropout_gradient,
        "multinomial": multinomial,
    }.items()},
    "randperm": permutation,
}
