"""Operations that make each element of their result of the elements at its place."""
import struct

import triton
from triton import language as tl

import torch

from heddle_torch import device, functions, kernels

BLOCK, MOST_DIMS = 1024, 6
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
        return False
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


def copy(to, source):
    """Copies between tensors on the device of any form and of usual types; False if they have others."""
    if not device.is_usual(to) or not device.is_usual(source):
        return False
    memory = to.untyped_storage().data_ptr()
    # A whole number of 64 bits is more than a float can be on its way to a narrower type.
    dtype = source.dtype if to.dtype == torch.bool or source.dtype.is_floating_point else to.dtype
    if memory == source.untyped_storage().data_ptr() and to.data_ptr() != source.data_ptr():
        return False
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


def pairs(kernel, dtypes=(*device.FLOATS, torch.float64)):
    """Of two operands of which one is a float."""
    def function(op, args, kwargs):
        if len(args) != 2 or type_of(*args) not in dtypes:
            return NotImplemented
        return compute(op, args, kwargs, kernel, args)
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


def scaled(kernel):
    """With a factor of the second operand."""
    def function(op, args, kwargs):
        factor = kwargs.get("alpha", args[2] if len(args) > 2 else 1)
        if isinstance(args[0], torch.Tensor) and args[0].dtype == torch.bool:
            return NotImplemented
        return compute(op, args, kwargs, kernel, args[:2], factor)
    return function


def comparison(kernel):
    def function(op, args, kwargs):
        return compute(op, args, kwargs, kernel, args[:2], dtype=type_of(*args[:2]))
    return function


def product(op, args, kwargs):
    both = all(not isinstance(value, torch.Tensor) or value.dtype == torch.bool for value in args[:2])
    return compute(op, args, kwargs, kernels.both if both else kernels.mul, args[:2])


def quotient(op, args, kwargs):
    if kwargs.get("rounding_mode") is not None or len(args) > 2:
        return NotImplemented
    plan_type = torch.result_type(*args[:2])
    if plan_type not in device.TYPES:
        return NotImplemented
    return compute(op, args, kwargs, kernels.div, args[:2])


def power(op, args, kwargs):
    if not isinstance(args[0], torch.Tensor) or not args[0].dtype.is_floating_point:
        return NotImplemented
    if args[1] == 2 and not isinstance(args[1], torch.Tensor):
        return compute(op, args, kwargs, kernels.square, args[:1])
    return compute(op, args, kwargs, kernels.power, args[:2])


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
    return compute(op, args, kwargs, kernels.masked_fill, args)


def logical(kernel):
    def function(op, args, kwargs):
        types = {value.dtype for value in args if isinstance(value, torch.Tensor)}
        return compute(op, args, kwargs, kernel, args, dtype=type_of(*args)) if len(types) == 1 else NotImplemented
    return function


def bits(kernel):
    def function(op, args, kwargs):
        if any(isinstance(value, torch.Tensor) and value.dtype.is_floating_point for value in args):
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


def clamp(op, args, kwargs):
    low, high = (kwargs.get(name, args[place] if len(args) > place else None)
                 for place, name in ((1, "min"), (2, "max")))
    is_float = args[0].dtype.is_floating_point
    if not is_float or any(isinstance(bound, torch.Tensor) or bound != bound for bound in (low, high)):
        return NotImplemented
    return compute(op, args, kwargs, kernels.clamp, args[:1], float("-inf") if low is None else low,
                   float("inf") if high is None else high)


def with_factor(kernel):
    """Of three tensors and a number that is named value."""
    def function(op, args, kwargs):
        if len(args) != 3 or not all(value.dtype in device.FLOATS for value in args):
            return NotImplemented
        return compute(op, args, kwargs, kernel, args, kwargs.get("value", 1))
    return function


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
    "copysign.Tensor": real(functions.copysign, 2), "xlogy": real(functions.x_log_y, 2),
    "special_xlog1py": real(functions.x_log1p_y, 2),
    "silu": floating(kernels.silu), "mish": floating(functions.mish), "frac": floating(functions.fraction),
    "hardswish": floating(functions.hardswish), "hardsigmoid": floating(functions.hardsigmoid),
    "leaky_relu": floating(functions.leaky_relu, 0.01), "softplus": floating(functions.softplus, 1, 20),
    "hardshrink": floating(functions.hardshrink, 0.5), "softshrink": floating(functions.softshrink, 0.5),
    "hardtanh": floating(kernels.clamp, -1, 1), "threshold": floating(functions.threshold),
    "ceil": rounded(functions.ceil), "floor": rounded(functions.floor), "trunc": rounded(functions.trunc),
    "round": rounded(functions.nearest), "hypot": pairs(functions.hypot),
    "nextafter": pairs(functions.nextafter, (torch.float32, torch.float64)),
    "fmod.Tensor": pairs(functions.fmod), "remainder.Tensor": pairs(functions.remainder),
    "fmax": pairs(functions.larger), "fmin": pairs(functions.smaller), "heaviside": pairs(functions.heaviside),
    "isnan": asks(functions.is_nan, device.TYPES), "isinf": asks(functions.is_infinite),
    "signbit": asks(functions.is_signed),
    "isposinf": asks(functions.is_positive_infinity), "isneginf": asks(kernels.is_negative_infinity),
    "pow.Tensor_Scalar": power, "pow.Tensor_Scalar_out": power, "pow_.Scalar": power,
    "threshold_backward": relu_gradient,
    "eq": comparison(kernels.equal), "ne": comparison(kernels.unequal), "lt": comparison(kernels.less),
    "le": comparison(kernels.at_most), "gt": comparison(kernels.greater), "ge": comparison(kernels.at_least),
    "maximum": binary(kernels.maximum), "minimum": binary(kernels.minimum),
    "logical_and": logical(kernels.both), "logical_or": logical(kernels.either),
    "logical_not": logical(kernels.negation), "bitwise_and": bits(kernels.bits_and),
    "bitwise_or": bits(kernels.bits_or), "bitwise_not": bits(kernels.bits_not), "where": where,
    "masked_fill": masked_fill, "fill": fill, "zero": fill, "addcmul": with_factor(kernels.addcmul),
    "addcdiv": with_factor(kernels.addcdiv), "clamp": clamp, "lerp": lerp,
    "logical_xor": logical(functions.one_of_both),
    "bitwise_xor": bits(functions.bits_xor),
}
