"""Small models of each family, from their operators on the device and by PyTorch on the CPU.

Each model is a function of a chain that gives pairs of what the device computed and what
PyTorch did in double precision, by names.
"""
from typing import Callable

import numpy as np

from ..chain import Chain
from .decoders import llama, mixture
from .encoders import bert, vision
from .images import resnet, unet
from .training import gpt2

Pairs = dict[str, tuple[np.ndarray, np.ndarray]]
MODELS: dict[str, Callable[[Chain], Pairs]] = {
    "llama": llama,
    "mixture": mixture,
    "bert": bert,
    "vision": vision,
    "resnet": resnet,
    "unet": unet,
    "gpt2": gpt2,
}
