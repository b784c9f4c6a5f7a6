"""Weights of small models: on the device in its types, and as PyTorch's numbers of double precision."""
import dataclasses

import numpy as np
import torch

from ..chain import Chain, Tensor
from ..elements import decode, encode


@dataclasses.dataclass(frozen=True)
class Weight:
    """The same numbers on the device and on the host."""

    there: Tensor
    here: torch.Tensor


class Weights:
    """Makes weights from a seed."""

    def __init__(self, chain: Chain, kind: str, seed: int) -> None:
        self.chain, self.kind = chain, kind
        self._draw = np.random.default_rng(seed)

    def make(self, *shape: int, scale: float | None = None, mean: float = 0.0) -> Weight:
        """Normally distributed; if not said, over the root of the columns."""
        scale = 1 / np.sqrt(np.prod(shape[1:])) if scale is None else scale
        return self.put(self._draw.normal(mean, scale, shape))

    def put(self, values: np.ndarray, kind: str | None = None) -> Weight:
        kind = kind or self.kind
        rounded = decode(encode(values.reshape(-1), kind), kind).reshape(values.shape)
        return Weight(self.chain.tensor(rounded, kind), torch.from_numpy(rounded))

    def tokens(self, count: int, vocabulary: int) -> Weight:
        return self.put(self._draw.integers(0, vocabulary, count), "i32")
