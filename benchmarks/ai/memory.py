"""What fits in a chip's memory: weights, and the cache of keys and values in pages."""
import dataclasses
import math

from models import WEIGHT_BYTES, Chip, Model, Workload

PAGE = 16  # tokens of a page of the cache
# The part of the memory that weights and cache may take: vLLM's gpu_memory_utilization, as it
# is when nobody sets it (vLLM's documentation, engine arguments).
USABLE = 0.9
# Sequences at once in TensorRT-LLM when nobody says (its documentation, max_batch_size).
MOST_SEQUENCES = 2048


def parameters(model: Model) -> float:
    """Of a decoder or an encoder: products of all layers, and the tables of tokens."""
    width = model.heads * model.head_dim + 2 * model.kv_heads * model.head_dim
    attention = model.hidden * (width + model.heads * model.head_dim)
    gated = 3 if model.family in ("decoder", "mixture") else 2
    block = gated * model.hidden * model.feed_forward * model.sizes.get("experts", 1)
    tables = 2 if model.family in ("decoder", "mixture") else 1
    return model.layers * (attention + block) + tables * model.sizes.get("vocabulary", 0) * model.hidden


def weight_bytes(model: Model, weights: str, devices: int = 1) -> float:
    """Tables of tokens are of 16 bits where weights have fewer."""
    table = 2 * model.sizes.get("vocabulary", 0) * model.hidden
    kept = table if model.family in ("decoder", "mixture") else table / 2
    return ((parameters(model) - kept) * WEIGHT_BYTES[weights] + kept * 2) / devices


def cache_bytes(model: Model, tokens: int, element: float = 2, devices: int = 1) -> float:
    """Of a sequence, in whole pages."""
    pages = math.ceil(tokens / PAGE)
    heads = max(1, model.kv_heads / devices)
    return 2 * model.layers * heads * model.head_dim * element * pages * PAGE


@dataclasses.dataclass(frozen=True)
class Fit:
    """weights, cache: GB on each device. sequences: how many fit beside the weights."""

    weights: float
    cache: float
    sequences: int
    tokens: int

    @property
    def fits(self) -> bool:
        return self.sequences >= 1


def fit(model: Model, weights: str, chip: Chip, context: int, devices: int = 1, element: float = 2) -> Fit:
    """How many sequences of a context fit on devices of a chip."""
    taken = weight_bytes(model, weights, devices)
    each = cache_bytes(model, context, element, devices)
    left = chip.memory * 1e9 * USABLE - taken
    sequences = max(0, math.floor(left / each))
    tokens = max(0, math.floor(left / cache_bytes(model, PAGE, element, devices)) * PAGE)
    return Fit(taken / 1e9, each / 1e9, sequences, tokens)


def holds(work: Workload, chip: Chip) -> bool:
    """Whether the devices of a workload are linked, and hold its weights and caches."""
    if work.tensor_parallel > 1 and not chip.machine:
        return False
    if work.phase not in ("decode", "prefill"):
        return True
    return fit(work.model, work.weights, chip, work.context, work.tensor_parallel).sequences >= work.batch
