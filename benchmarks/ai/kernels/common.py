"""What several kernels compute with."""
import triton
import triton.language as tl


@triton.jit
def sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def silu(x):
    return x * sigmoid(x)


@triton.jit
def tanh(x):
    """By the sigmoid, which has no overflow for large numbers."""
    return 2.0 * sigmoid(2.0 * x) - 1.0


@triton.jit
def gelu(x):
    """The approximation by tanh, as GPT-2 has it."""
    return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
