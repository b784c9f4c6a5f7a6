"""Functions of one or two numbers for the kernel that goes over all elements, in Triton."""
import triton
from triton import language as tl
from triton.language.extra import libdevice

from heddle_torch.kernels import divide


@triton.jit
def acos(x, y, z, s, t):
    return libdevice.acos(x)


@triton.jit
def acosh(x, y, z, s, t):
    return libdevice.acosh(x)


@triton.jit
def asin(x, y, z, s, t):
    return libdevice.asin(x)


@triton.jit
def asinh(x, y, z, s, t):
    return libdevice.asinh(x)


@triton.jit
def atan(x, y, z, s, t):
    return libdevice.atan(x)


@triton.jit
def atanh(x, y, z, s, t):
    return libdevice.atanh(x)


@triton.jit
def cosh(x, y, z, s, t):
    return libdevice.cosh(x)


@triton.jit
def sinh(x, y, z, s, t):
    return libdevice.sinh(x)


@triton.jit
def tan(x, y, z, s, t):
    return libdevice.tan(x)


@triton.jit
def log10(x, y, z, s, t):
    return libdevice.log10(x)


@triton.jit
def log1p(x, y, z, s, t):
    return libdevice.log1p(x)


@triton.jit
def log2(x, y, z, s, t):
    return libdevice.log2(x)


@triton.jit
def exp2(x, y, z, s, t):
    return libdevice.exp2(x)


@triton.jit
def expm1(x, y, z, s, t):
    return libdevice.expm1(x)


@triton.jit
def erfc(x, y, z, s, t):
    return libdevice.erfc(x)


@triton.jit
def erfinv(x, y, z, s, t):
    return libdevice.erfinv(x)


@triton.jit
def erfcx(x, y, z, s, t):
    return libdevice.erfcx(x)


@triton.jit
def lgamma(x, y, z, s, t):
    return libdevice.lgamma(x)


@triton.jit
def bessel_i0(x, y, z, s, t):
    return libdevice.cyl_bessel_i0(x)


@triton.jit
def bessel_i1(x, y, z, s, t):
    return libdevice.cyl_bessel_i1(x)


@triton.jit
def bessel_j0(x, y, z, s, t):
    return libdevice.j0(x)


@triton.jit
def bessel_j1(x, y, z, s, t):
    return libdevice.j1(x)


@triton.jit
def bessel_y0(x, y, z, s, t):
    return libdevice.y0(x)


@triton.jit
def bessel_y1(x, y, z, s, t):
    return libdevice.y1(x)


@triton.jit
def normal_quantile(x, y, z, s, t):
    return libdevice.normcdfinv(x)


@triton.jit
def sinc(x, y, z, s, t):
    angle = 3.141592653589793 * x
    return tl.where(x == 0, tl.full(x.shape, 1, x.dtype), divide(libdevice.sin(angle), angle))


@triton.jit
def ceil(x, y, z, s, t):
    return libdevice.ceil(x)


@triton.jit
def floor(x, y, z, s, t):
    return libdevice.floor(x)


@triton.jit
def trunc(x, y, z, s, t):
    return libdevice.trunc(x)


@triton.jit
def nearest(x, y, z, s, t):
    return libdevice.nearbyint(x)


@triton.jit
def fraction(x, y, z, s, t):
    return x - libdevice.trunc(x)


@triton.jit
def sign(x, y, z, s, t):
    return (x > 0).to(x.dtype) - (x < 0).to(x.dtype)


@triton.jit
def is_signed(x, y, z, s, t):
    if x.dtype.is_floating():
        result = libdevice.signbit(x) != 0
    else:
        result = x < 0
    return result


@triton.jit
def is_nan(x, y, z, s, t):
    return x != x


@triton.jit
def is_infinite(x, y, z, s, t):
    return tl.abs(x) == float("inf")


@triton.jit
def is_positive_infinity(x, y, z, s, t):
    return x == float("inf")


@triton.jit
def one_of_both(x, y, z, s, t):
    return (x != 0) != (y != 0)


@triton.jit
def bits_xor(x, y, z, s, t):
    return x ^ y


@triton.jit
def atan2(x, y, z, s, t):
    return libdevice.atan2(x, y)


@triton.jit
def hypot(x, y, z, s, t):
    return libdevice.hypot(x, y)


@triton.jit
def copysign(x, y, z, s, t):
    return libdevice.copysign(x, y)


@triton.jit
def nextafter(x, y, z, s, t):
    return libdevice.nextafter(x, y)


@triton.jit
def fmod(x, y, z, s, t):
    return libdevice.fmod(x, y)


@triton.jit
def remainder(x, y, z, s, t):
    """Of the divisor's sign."""
    rest = libdevice.fmod(x, y)
    return tl.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


@triton.jit
def larger(x, y, z, s, t):
    """A NaN is taken for nothing."""
    return tl.where((y != y) | (x > y), x, y)


@triton.jit
def smaller(x, y, z, s, t):
    return tl.where((y != y) | (x < y), x, y)


@triton.jit
def heaviside(x, y, z, s, t):
    return tl.where(x == 0, y, (x > 0).to(x.dtype))


@triton.jit
def x_log_y(x, y, z, s, t):
    return tl.where((x == 0) & (y == y), tl.zeros_like(x), x * libdevice.log(y))


@triton.jit
def x_log1p_y(x, y, z, s, t):
    return tl.where((x == 0) & (y == y), tl.zeros_like(x), x * libdevice.log1p(y))


@triton.jit
def leaky_relu(x, y, z, s, t):
    return tl.where(x > 0, x, x * s)


@triton.jit
def hardsigmoid(x, y, z, s, t):
    moved = tl.minimum(tl.maximum(x + 3, 0), 6)
    return tl.where(x != x, x, divide(moved, tl.full(x.shape, 6, x.dtype)))


@triton.jit
def hardswish(x, y, z, s, t):
    moved = tl.minimum(tl.maximum(x + 3, 0), 6)
    return tl.where(x != x, x, divide(x * moved, tl.full(x.shape, 6, x.dtype)))


@triton.jit
def softplus(x, y, z, s, t):
    """s is beta, and t where it goes on as a line."""
    scaled = x * s
    return tl.where(scaled > t, x, divide(libdevice.log1p(libdevice.exp(scaled)),
                                                  tl.full(x.shape, 0, x.dtype) + s))


@triton.jit
def mish(x, y, z, s, t):
    return x * libdevice.tanh(libdevice.log1p(libdevice.exp(x)))


@triton.jit
def hardshrink(x, y, z, s, t):
    return tl.where((x >= -s) & (x <= s), tl.zeros_like(x), x)


@triton.jit
def softshrink(x, y, z, s, t):
    shrunk = tl.where(x > s, x - s, tl.where(x < -s, x + s, tl.zeros_like(x)))
    return tl.where(x != x, x, shrunk)


@triton.jit
def threshold(x, y, z, s, t):
    return tl.where(x <= s.to(x.dtype), tl.zeros_like(x) + t.to(x.dtype), x)


@triton.jit
def whole_power(x, y, z, s, t):
    """By squares; the inverse of a whole number is one for 1 and -1 alone."""
    result, base, rest = tl.full(x.shape, 1, x.dtype), x, tl.where(y < 0, tl.zeros_like(y), y)
    while tl.max(rest, 0) > 0:
        result = tl.where((rest & 1) != 0, result * base, result)
        base, rest = base * base, rest >> 1
    sign_of_inverse = tl.where((x == 1) | ((y & 1) == 0), tl.full(x.shape, 1, x.dtype), x)
    inverse = tl.where((x == 1) | (x + 1 == 0), sign_of_inverse, tl.zeros_like(x))
    return tl.where(y < 0, inverse, result)


@triton.jit
def whole_remainder(x, y, z, s, t):
    rest = x % y
    return tl.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


@triton.jit
def whole_fmod(x, y, z, s, t):
    return x % y


@triton.jit
def whole_quotient(x, y, z, s, t):
    return x // y


@triton.jit
def whole_floor_quotient(x, y, z, s, t):
    result = x // y
    return tl.where((result * y != x) & ((x < 0) != (y < 0)), result - 1, result)


@triton.jit
def truncated_quotient(x, y, z, s, t):
    return libdevice.trunc(divide(x, y))


@triton.jit
def floor_quotient(x, y, z, s, t):
    """Of the remainder, as in Python, so that it belongs to it."""
    rest = libdevice.fmod(x, y)
    quotient = divide(x - rest, y)
    quotient = tl.where((rest != 0) & ((y < 0) != (rest < 0)), quotient - 1, quotient)
    down = libdevice.floor(quotient)
    down = tl.where(quotient - down > 0.5, down + 1, down)
    nothing = libdevice.copysign(tl.zeros_like(x), divide(x, y))
    return tl.where(y == 0, divide(x, y), tl.where(quotient != 0, down, nothing))


@triton.jit
def between(x, y, z, s, t):
    """Not less than y and not more than z."""
    low = tl.where((x != x) | (x > y), x, y)
    return tl.where((low != low) | (low < z), low, z)


@triton.jit
def shift_left(x, y, z, s, t):
    """s is the number of bits; none are left behind as many shifts."""
    is_none = (y < 0) | (y >= s)
    return tl.where(is_none, tl.zeros_like(x), x << tl.where(is_none, tl.zeros_like(y), y))


@triton.jit
def shift_right(x, y, z, s, t):
    most = tl.zeros_like(y) + (s - 1).to(y.dtype)
    return x >> tl.where((y < 0) | (y >= s), most, y)


@triton.jit
def log_of_sum(x, y, z, s, t):
    """Of the exponentials of two numbers."""
    most = tl.where((x != x) | (x > y), x, y)
    is_same = (x == y) & (tl.abs(x) == float("inf"))
    return tl.where(is_same, x, most + libdevice.log1p(libdevice.exp(-tl.abs(x - y))))


@triton.jit
def log2_of_sum(x, y, z, s, t):
    """Of powers of two."""
    most = tl.where((x != x) | (x > y), x, y)
    is_same = (x == y) & (tl.abs(x) == float("inf"))
    return tl.where(is_same, x, most + libdevice.log1p(libdevice.exp2(-tl.abs(x - y))) * 1.4426950408889634)


@triton.jit
def numbers_only(x, y, z, s, t):
    """y and z are for what is above and below all numbers, s for what is none."""
    result = tl.where(x == float("inf"), y, tl.where(x == float("-inf"), z, x))
    return tl.where(x != x, tl.zeros_like(x) + s.to(x.dtype), result)


@triton.jit
def rounded_times(x, y, z, s, t):
    """To a part of 1 that s is the inverse of."""
    factor = tl.zeros_like(x) + s.to(x.dtype)
    return divide(libdevice.nearbyint(x * factor), factor)


@triton.jit
def rounded_by(x, y, z, s, t):
    """To a multiple of s."""
    factor = tl.zeros_like(x) + s.to(x.dtype)
    return libdevice.nearbyint(divide(x, factor)) * factor


@triton.jit
def logit(x, y, z, s, t):
    return libdevice.log(divide(x, 1 - x))


@triton.jit
def exponent(x, y, z, s, t):
    """The power of two that a number is a part of, from a half on."""
    is_plain = (x == x) & (x != 0) & (tl.abs(x) != float("inf"))
    return tl.where(is_plain, libdevice.ilogb(tl.where(is_plain, x, tl.full(x.shape, 1, x.dtype))) + 1, 0)


@triton.jit
def mantissa(x, y, z, s, t):
    """The part of the power of two that y is."""
    return libdevice.ldexp(x, -y.to(tl.int32))


@triton.jit
def angle(x, y, z, s, t):
    return tl.where(x < 0, tl.full(x.shape, 3.141592653589793, x.dtype), tl.where(x != x, x, tl.zeros_like(x)))
