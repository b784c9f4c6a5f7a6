"""The step of a workload, by its model's family."""
from typing import Callable

import layers
import pictures
import training
from models import Workload
from operators import OperatorError

FAMILIES: dict[str, Callable[[Workload], layers.Step]] = {
    "decoder": layers.decoder,
    "mixture": layers.decoder,
    "encoder": layers.encoder,
    "resnet": pictures.resnet,
    "unet": pictures.unet,
    "decoder-vae": pictures.picture_decoder,
    "training": training.step,
}


def step_of(work: Workload) -> layers.Step:
    known = FAMILIES.get(work.model.family)
    if known is None:
        raise layers.NotSupported("no layers for the family %s" % work.model.family)
    try:
        return known(work)
    except OperatorError as problem:
        raise layers.NotSupported(str(problem)) from None
