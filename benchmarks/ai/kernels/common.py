"""What several kernels compute with."""
import triton
import triton.language as tl


@triton.jit
def reciprocal(x):
    """Without what a division does for the smallest numbers."""
    return tl.inline_asm_elementwise("rcp.approx.f32 $0, $1;", "=f,f", [x], tl.float32, is_pure=True, pack=1)


@triton.jit
def sigmoid(x):
    return reciprocal(1.0 + tl.exp(-x))


@triton.jit
def silu(x):
    return x * sigmoid(x)


@triton.jit
def tanh(x):
    """By the sigmoid, which has no overflow for large numbers."""
    return 2.0 * sigmoid(2.0 * x) - 1.0


@triton.jit
def gelu(x):
    """The approximation by tanh, as GPT-2 has it: half of one and of tanh(y) is the sigmoid of 2 y."""
    return x * sigmoid(x * (1.5957691216057308 + 0.07135481282721884 * (x * x)))
