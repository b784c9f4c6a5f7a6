"""Operations that make each element of their result of the elements at its place."""
import struct

import triton
from triton import language as tl

import torch

from heddle_torch import device, functions, kernels

BLOCK, MOST_DIMS = 1024, 6
NUMBERS = [dtype for dtype in device.TYPES if dtype != torch.bool]
COMPUTED_IN = {torch.float64: tl.float64, torch.float32: tl.float32, torch.float16: tl.float32,
               torch.bfloat16: tl.float32, torch.int64: tl.int64, torch.int32: tl.int32, torch.int16: tl.int16,
               torch.int8: tl.int8, torch.uint8: tl.uint8, torch.bool: tl.int1}


def collapse(sizes, strides):
    """Sizes and each tensor's strides from the innermost dimension on, with as few dimensions as they need."""
    dims = [(size, tuple(stride[dim] for stride in strides)) for dim, size in enumerate(sizes) if size != 1][::-1]
    merged = []
    for size, steps in dims:
        if merged and all(step == before * merged[-1][0] for step, before in zip(steps, merged[-1][1])):
            merged[-1] = (merged[-1][0] * size, merged[-1][1])
        else:
            merged.append((size, steps))
    return merged or [(1, (0, ) * len(strides))]


def is_exact(value, dtype):
    """Whether a number reaches a kernel as it is: those of Triton's kernels are in single precision."""
    return dtype != torch.float64 or value != value or struct.unpack("f", struct.pack("f", value))[0] == value


def launch(kernel, out, operands, dtype, s=0, t=0):
    """Writes out; False if its memory has a form that the kernel does not take, or a factor does not get there."""
    if not all(is_exact(value, dtype) for value in (s, t)):
        return False
    operands = [torch.tensor(operand, dtype=dtype).to(out.device)
                if isinstance(operand, (int, float)) and not is_exact(operand, dtype) else operand
                for operand in operands]
    shaped = [operand.expand(out.size()) if isinstance(operand, torch.Tensor) and operand.is_cuda else operand
              for operand in operands]
    tensors = [operand if isinstance(operand, torch.Tensor) and operand.is_cuda else None for operand in shaped]
    dims = collapse(out.size(), [out.stride(), *(tensor.stride() if tensor is not None else (0, ) * out.dim()
                                                 for tensor in tensors)])
    if len(dims) > MOST_DIMS:
        return launch_in_parts(kernel, out, shaped, dtype, s, t)
    if out.numel():
        is_float = dtype.is_floating_point
        number = float if is_float else int
        numbers = [number(operand) if tensor is None else number(0) for operand, tensor in zip(shaped, tensors)]
        sizes = [size for size, _ in dims] + [1] * (MOST_DIMS - len(dims))
        steps = [step for which in range(4)
                 for step in [strides[which] for _, strides in dims] + [0] * (MOST_DIMS - len(dims))]
        given = [tensor if tensor is not None else out for tensor in tensors]
        kernels.elementwise[(triton.cdiv(out.numel(), BLOCK), )](
            out, *given, out.numel(), *numbers, number(s), number(t), *sizes, *steps, OP=kernel, DIMS=len(dims),
            X=tensors[0] is not None, Y=tensors[1] is not None, Z=tensors[2] is not None,
            COMPUTE=COMPUTED_IN[dtype], BLOCK=BLOCK, **kernels.OPTIONS)
    return True


def launch_in_parts(kernel, out, operands, dtype, s, t):
    """A launch for each place of the smallest dimension, where there are more dimensions than the kernel goes over."""
    dim = min((size, dim) for dim, size in enumerate(out.size()) if size > 1)[1]
    parts = [operand.unbind(dim) if isinstance(operand, torch.Tensor) and operand.is_cuda else None
             for operand in operands]
    return all(launch(kernel, part, [operand if each is None else each[place]
                                     for operand, each in zip(operands, parts)], dtype, s, t)
               for place, part in enumerate(out.unbind(dim)))


def copy(to, source):
    """Copies between tensors on the device of any form and of usual types; False if they have others."""
    if not device.is_usual(to) or not device.is_usual(source):
        return False
    memory = to.untyped_storage().data_ptr()
    # A whole number of 64 bits is more than a float can be on its way to a narrower type.
    dtype = source.dtype if to.dtype == torch.bool or source.dtype.is_floating_point else to.dtype
    if memory and memory == source.untyped_storage().data_ptr() and to.data_ptr() != source.data_ptr():
        # What is to be read might be written first.
        apart = torch.empty(source.size(), dtype=source.dtype, device=source.device)
        return copy(apart, source) and copy(to, apart)
    kernel = kernels.unequal if to.dtype == torch.bool else kernels.identity
    return launch(kernel, to, [source, 0, 0], dtype)


def compute(op, args, kwargs, kernel, operands, s=0, t=0, dtype=None):
    """The result of a kernel for all elements."""
    plan = device.Plan(op, args, kwargs)
    if not plan.is_usual() or plan.result.dtype not in device.TYPES:
        return NotImplemented
    dtype = dtype or plan.result.dtype
    operands = [*operands, *[0] * (3 - len(operands))]
    if dtype not in COMPUTED_IN or not all(fits(operand, dtype) for operand in operands):
        return NotImplemented
    to = plan.destination()
    return to if launch(kernel, to, operands, dtype, s, t) else NotImplemented


def fits(operand, dtype):
    """Whether a number or the elements of a tensor can be computed with in a type."""
    if not isinstance(operand, torch.Tensor):
        if dtype in device.WHOLE:
            info = torch.iinfo(dtype)
            return isinstance(operand, (bool, int)) and info.min <= operand <= info.max
        return isinstance(operand, (bool, int, float)) and (dtype.is_floating_point or not isinstance(operand, float))
    return dtype.is_floating_point or not operand.dtype.is_floating_point


def type_of(*operands):
    """The type that PyTorch computes with of two operands."""
    return torch.result_type(*operands) if len(operands) > 1 else operands[0].dtype


def unary(kernel):
    return lambda op, args, kwargs: compute(op, args, kwargs, kernel, args[:1])


def real(kernel, count=1):
    """Of real numbers, which whole ones are made first."""
    def function(op, args, kwargs):
        if len(args) != count or kwargs.keys() - {"out"}:
            return NotImplemented
        plan = device.Plan(op, args, kwargs)
        if not plan.result.dtype.is_floating_point:
            return NotImplemented
        return compute(op, args, kwargs, kernel, args)
    return function


def floating(kernel, *numbers):
    """Of floats only, with numbers behind them that are these by default."""
    def function(op, args, kwargs):
        if not isinstance(args[0], torch.Tensor) or not args[0].dtype.is_floating_point or kwargs.keys() - {"out"}:
            return NotImplemented
        given = [*args[1:], *numbers[len(args) - 1:]]
        return compute(op, args, kwargs, kernel, args[:1], *given) if len(given) <= 2 else NotImplemented
    return function


def threshold(op, args, kwargs):
    x, limit, value = args
    if x.dtype == torch.bool or not all(fits(number, x.dtype) for number in (limit, value)):
        return NotImplemented
    return compute(op, args, kwargs, functions.threshold, [x], limit, value)


def signed(kernel):
    """Of all but truth values."""
    def function(op, args, kwargs):
        return NotImplemented if args[0].dtype == torch.bool else compute(op, args, kwargs, kernel, args[:1])
    return function


def rounded(kernel):
    """To whole numbers, which stay what they are."""
    def function(op, args, kwargs):
        if len(args) != 1 or kwargs.keys() - {"out"} or args[0].dtype == torch.bool:
            return NotImplemented
        return compute(op, args, kwargs, kernel if args[0].dtype.is_floating_point else kernels.identity, args)
    return function


def pairs(kernel, dtypes=(*device.FLOATS, torch.float64), whole=None):
    """Of two operands of which one is a float, or of whole numbers where there is a function of these."""
    def function(op, args, kwargs):
        dtype = type_of(*args) if len(args) == 2 else None
        if whole is not None and dtype in device.WHOLE:
            return compute(op, args, kwargs, whole, args)
        return compute(op, args, kwargs, kernel, args) if dtype in dtypes else NotImplemented
    return function


def asks(kernel, dtypes=(*device.FLOATS, torch.float64)):
    """Whether an element is something."""
    def function(op, args, kwargs):
        if args[0].dtype not in dtypes:
            return NotImplemented
        return compute(op, args, kwargs, kernel, args[:1], dtype=args[0].dtype)
    return function


def binary(kernel):
    return lambda op, args, kwargs: compute(op, args, kwargs, kernel, args[:2])


def is_truth(value):
    return isinstance(value, bool) or isinstance(value, torch.Tensor) and value.dtype == torch.bool


def scaled(kernel):
    """With a factor of the second operand."""
    def function(op, args, kwargs):
        factor = kwargs.get("alpha", args[2] if len(args) > 2 else 1)
        # No truth value is a factor or has a difference: errors.
        if type_of(*args[:2]) == torch.bool or any(
                is_truth(value) for value in ([factor] if kernel is kernels.add else [*args[:2], factor])):
            return NotImplemented
        return compute(op, args, kwargs, kernel, args[:2], factor)
    return function


def comparison(kernel):
    def function(op, args, kwargs):
        return compute(op, args, kwargs, kernel, args[:2], dtype=type_of(*args[:2]))
    return function


def product(op, args, kwargs):
    dtype = type_of(*args[:2])
    if device.works_in_place(op) and not torch.can_cast(dtype, args[0].dtype):
        return NotImplemented  # An error.
    kernel = kernels.both if dtype == torch.bool else kernels.mul
    return compute(op, args, kwargs, kernel, args[:2])


def quotient(op, args, kwargs):
    mode = kwargs.get("rounding_mode")
    if mode is not None:
        return rounded_quotient(mode)(op, args, kwargs)
    if len(args) > 2 or torch.result_type(*args[:2]) not in device.TYPES:
        return NotImplemented
    return compute(op, args, kwargs, kernels.div, args[:2])


def rounded_quotient(mode):
    is_floor = mode == "floor"
    real_kernel = functions.floor_quotient if is_floor else functions.truncated_quotient
    whole_kernel = functions.whole_floor_quotient if is_floor else functions.whole_quotient
    return pairs_of(real_kernel, whole_kernel)


def pairs_of(real_kernel, whole_kernel):
    """Of the two first operands, by their type."""
    def function(op, args, kwargs):
        dtype = type_of(*args[:2])
        kernel = real_kernel if dtype.is_floating_point else whole_kernel
        return compute(op, args[:2], kwargs, kernel, args[:2]) if dtype != torch.bool else NotImplemented
    return function


def power(op, args, kwargs):
    """Squares are products; a number may be either operand."""
    dtype = type_of(*args[:2])
    if dtype not in device.TYPES or dtype == torch.bool:
        return NotImplemented
    if not isinstance(args[1], torch.Tensor) and args[1] == 2:
        return compute(op, args, kwargs, kernels.square, args[:1])
    if dtype.is_floating_point:
        return compute(op, args, kwargs, kernels.power, args[:2])
    if not isinstance(args[1], torch.Tensor) and args[1] < 0:
        return NotImplemented  # An error.
    return compute(op, args, kwargs, functions.whole_power, args[:2])


def gelu(op, args, kwargs):
    if args[0].dtype not in device.FLOATS:
        return NotImplemented
    is_tanh = kwargs.get("approximate", "none") == "tanh"
    return compute(op, args, kwargs, kernels.gelu_tanh if is_tanh else kernels.gelu, args[:1])


def relu_gradient(op, args, kwargs):
    if args[0].dtype not in device.FLOATS or len(args) != 3:
        return NotImplemented
    return compute(op, args, kwargs, kernels.threshold_backward, args[:2], args[2])


def where(op, args, kwargs):
    if len(args) != 3 or args[0].dtype != torch.bool:
        return NotImplemented
    return compute(op, args, kwargs, kernels.where, args)


def masked_fill(op, args, kwargs):
    if args[1].dtype != torch.bool:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {args[1].dtype}")
    return compute(op, args, kwargs, kernels.masked_fill, args)


def logical(kernel):
    def function(op, args, kwargs):
        types = {value.dtype for value in args if isinstance(value, torch.Tensor)}
        return compute(op, args, kwargs, kernel, args, dtype=type_of(*args)) if len(types) == 1 else NotImplemented
    return function


def bits(kernel):
    def function(op, args, kwargs):
        if any(isinstance(value, float) or isinstance(value, torch.Tensor) and value.dtype.is_floating_point
               for value in args):
            return NotImplemented
        return compute(op, args, kwargs, kernel, args)
    return function


def fill(op, args, kwargs):
    value = args[1] if len(args) > 1 else 0
    if isinstance(value, torch.Tensor):
        return NotImplemented if value.dim() else compute(op, args, kwargs, kernels.identity, [value])
    dtype = args[0].dtype
    if isinstance(value, float) and not dtype.is_floating_point:
        if not -2**63 <= value < 2**63:
            return NotImplemented
        value = int(value != 0 if dtype == torch.bool else value)
    return compute(op, args, kwargs, kernels.identity, [value])


def bound(kernel):
    """By one bound, which may be a tensor."""
    def function(op, args, kwargs):
        given = [*args, *(kwargs[name] for name in ("min", "max") if name in kwargs)]
        return compute(op, args, kwargs, kernel, given) if len(given) == 2 else NotImplemented
    return function


def clamp(op, args, kwargs):
    low, high = (kwargs.get(name, args[place] if len(args) > place else None)
                 for place, name in ((1, "min"), (2, "max")))
    if low is None or high is None:
        kernel, limit = (kernels.minimum, high) if low is None else (kernels.maximum, low)
        return compute(op, args, kwargs, kernel, [args[0], limit])
    return compute(op, args, kwargs, functions.between, [args[0], low, high])


def hardtanh(op, args, kwargs):
    bounds = [*args[1:], *(-1, 1)[len(args) - 1:]]
    if not args[0].dtype.is_floating_point:
        bounds = [int(value) for value in bounds]
    return compute(op, args, kwargs, functions.between, [args[0], *bounds])


def with_factor(kernel):
    """Of three tensors and a number that is named value."""
    def function(op, args, kwargs):
        factor = kwargs.get("value", 1)
        if len(args) != 3 or len({value.dtype for value in args}) != 1 or args[0].dtype == torch.bool:
            return NotImplemented
        return compute(op, args, kwargs, kernel, args, factor) if fits(factor, args[0].dtype) else NotImplemented
    return function


def shift(kernel):
    """Of whole numbers by as many bits."""
    def function(op, args, kwargs):
        dtype = type_of(*args)
        return compute(op, args, kwargs, kernel, args, dtype.itemsize * 8) if dtype in device.WHOLE else NotImplemented
    return function


def parts(op, args, kwargs):
    """The part from a half up to 1 and the power of two that numbers are products of."""
    x, (to_part, to_power) = args[0], (kwargs["mantissa"], kwargs["exponent"])
    if not device.is_usual(x) or not x.dtype.is_floating_point:
        return NotImplemented
    power = torch.empty(x.size(), dtype=torch.int32, device=x.device)
    part = torch.empty(x.size(), dtype=x.dtype, device=x.device)
    if not launch(functions.exponent, power, [x, 0, 0], x.dtype) or not launch(functions.mantissa, part, [x, power, 0],
                                                                              x.dtype):
        return NotImplemented
    for to, made in ((to_part, part), (to_power, power)):
        if to.size() != made.size():
            to.resize_(made.size())
        to.copy_(made)
    return to_part, to_power


def numbers_only(op, args, kwargs):
    x, values = args[0], [*args[1:], *[kwargs.get(name) for name in ("nan", "posinf", "neginf")[len(args) - 1:]]]
    if not x.dtype.is_floating_point:
        return compute(op, args, kwargs, kernels.identity, [x])
    info = torch.finfo(x.dtype)
    nan, most, least = (default if value is None else value
                        for value, default in zip(values, (0.0, info.max, info.min)))
    return compute(op, args, kwargs, functions.numbers_only, [x, float(most), float(least)], float(nan))


def rounded_to(op, args, kwargs):
    decimals = kwargs["decimals"]
    if not args[0].dtype.is_floating_point:
        return NotImplemented
    if decimals == 0:
        return compute(op, args, kwargs, functions.nearest, args)
    kernel = functions.rounded_times if decimals > 0 else functions.rounded_by
    return compute(op, args, kwargs, kernel, args, 10.0 ** abs(decimals))


def logit(op, args, kwargs):
    x, eps = args[0], args[1] if len(args) > 1 else kwargs.get("eps")
    if not x.dtype.is_floating_point or kwargs.get("out") is not None:
        return NotImplemented
    wide = x.float() if x.dtype in device.FLOATS else x
    kept = wide if eps is None else wide.clamp(eps, 1 - eps)
    return compute(torch.ops.aten.logit.default, (kept, ), {}, functions.logit, [kept]).to(x.dtype)


def lerp(op, args, kwargs):
    if not all(value.dtype in device.FLOATS for value in args[:2]):
        return NotImplemented
    return compute(op, args, kwargs, kernels.lerp, args)


OPERATIONS = {
    "copy_": copy,
    "add": scaled(kernels.add), "sub": scaled(kernels.sub), "rsub": scaled(kernels.rsub), "mul": product,
    "div": quotient, "neg": signed(kernels.neg), "abs": signed(kernels.absolute),
    "relu": signed(kernels.relu), "gelu": gelu, "sgn": signed(functions.sign), "sign": signed(functions.sign),
    "reciprocal": real(kernels.reciprocal), "sqrt": real(kernels.sqrt), "rsqrt": real(kernels.rsqrt),
    "exp": real(kernels.exp), "log": real(kernels.log), "sin": real(kernels.sin), "cos": real(kernels.cos),
    "tanh": real(kernels.tanh), "erf": real(kernels.erf), "sigmoid": real(kernels.sigmoid),
    "acos": real(functions.acos), "acosh": real(functions.acosh), "asin": real(functions.asin),
    "asinh": real(functions.asinh), "atan": real(functions.atan), "atanh": real(functions.atanh),
    "cosh": real(functions.cosh), "sinh": real(functions.sinh), "tan": real(functions.tan),
    "log10": real(functions.log10), "log1p": real(functions.log1p), "log2": real(functions.log2),
    "exp2": real(functions.exp2), "expm1": real(functions.expm1), "erfc": real(functions.erfc),
    "erfinv": real(functions.erfinv), "lgamma": real(functions.lgamma), "i0": real(functions.bessel_i0),
    "sinc": real(functions.sinc), "special_erfcx": real(functions.erfcx), "special_i1": real(functions.bessel_i1),
    "special_bessel_j0": real(functions.bessel_j0), "special_bessel_j1": real(functions.bessel_j1),
    "special_bessel_y0": real(functions.bessel_y0), "special_bessel_y1": real(functions.bessel_y1),
    "special_modified_bessel_i0": real(functions.bessel_i0), "special_ndtri": real(functions.normal_quantile),
    "special_modified_bessel_i1": real(functions.bessel_i1), "atan2": real(functions.atan2, 2),
    "copysign": real(functions.copysign, 2), "xlogy": real(functions.x_log_y, 2),
    "special_xlog1py": real(functions.x_log1p_y, 2),
    "silu": floating(kernels.silu), "mish": floating(functions.mish), "frac": floating(functions.fraction),
    "hardswish": floating(functions.hardswish), "hardsigmoid": floating(functions.hardsigmoid),
    "leaky_relu": floating(functions.leaky_relu, 0.01), "softplus": floating(functions.softplus, 1, 20),
    "hardshrink": floating(functions.hardshrink, 0.5), "softshrink": floating(functions.softshrink, 0.5),
    "hardtanh": hardtanh, "threshold": threshold,
    "ceil": rounded(functions.ceil), "floor": rounded(functions.floor), "trunc": rounded(functions.trunc),
    "round": rounded(functions.nearest), "hypot": pairs(functions.hypot),
    "nextafter": pairs(functions.nextafter, (torch.float32, torch.float64)),
    "fmod": pairs(functions.fmod, whole=functions.whole_fmod), "floor_divide": rounded_quotient("floor"),
    "remainder": pairs(functions.remainder, whole=functions.whole_remainder),
    "fmax": pairs(functions.larger, whole=functions.larger), "fmin": pairs(functions.smaller, whole=functions.smaller),
    "heaviside": pairs(functions.heaviside, whole=functions.heaviside),
    "round.decimals": rounded_to, "round_.decimals": rounded_to, "round.decimals_out": rounded_to,
     "logit": logit, "frexp": parts,
    "logaddexp": pairs(functions.log_of_sum), "logaddexp2": pairs(functions.log2_of_sum),
    "angle": real(functions.angle),
    "bitwise_left_shift": shift(functions.shift_left), "bitwise_right_shift": shift(functions.shift_right),
    "__lshift__": shift(functions.shift_left), "__rshift__": shift(functions.shift_right), "nan_to_num": numbers_only,
    "isnan": asks(functions.is_nan, device.TYPES), "isinf": asks(functions.is_infinite),
    "signbit": asks(functions.is_signed, NUMBERS), "isposinf": asks(functions.is_positive_infinity, NUMBERS),
    "isneginf": asks(kernels.is_negative_infinity, NUMBERS), "pow": power,
    "threshold_backward": relu_gradient,
    "eq": comparison(kernels.equal), "ne": comparison(kernels.unequal), "lt": comparison(kernels.less),
    "le": comparison(kernels.at_most), "gt": comparison(kernels.greater), "ge": comparison(kernels.at_least),
    "maximum": binary(kernels.maximum), "minimum": binary(kernels.minimum),
    "logical_and": logical(kernels.both), "logical_or": logical(kernels.either),
    "logical_not": logical(kernels.negation), "bitwise_and": bits(kernels.bits_and),
    "bitwise_or": bits(kernels.bits_or), "bitwise_not": bits(kernels.bits_not), "where": where,
    "masked_fill": masked_fill, "fill": fill, "zero": fill, "addcmul": with_factor(kernels.addcmul),
    "addcdiv": with_factor(kernels.addcdiv), "clamp": clamp, "lerp": lerp,
    "clamp_min": bound(kernels.maximum), "clamp_max": bound(kernels.minimum),
    "logical_xor": logical(functions.one_of_both),
    "bitwise_xor": bits(functions.bits_xor),
}
