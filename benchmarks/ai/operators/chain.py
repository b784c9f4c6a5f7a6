"""Operators one behind the other, whose outputs stay in the memory of the device."""
import dataclasses

import numpy as np

from . import launches
from .device import Device
from .elements import decode, element_type, encode
from .kinds import Operator, size
from .launch import Buffer
from .manifest import element_count


@dataclasses.dataclass(frozen=True)
class Tensor:
    """Numbers in memory of the device."""

    address: int
    type: str
    count: int


class Chain:
    """Runs operators over tensors, and remembers which."""

    def __init__(self, device: Device, target: str, python: str | None) -> None:
        self._device, self._target, self._python = device, target, python
        self.operators: list[Operator] = []

    def tensor(self, values: np.ndarray, kind: str) -> Tensor:
        """The numbers, rounded to the type."""
        data = encode(np.asarray(values).reshape(-1), kind)
        address = self._device.allocate(data.nbytes)
        self._device.upload(address, data)
        return Tensor(address, kind, data.size)

    def zeros(self, count: int, kind: str) -> Tensor:
        return self.tensor(np.zeros(count), kind)

    def read(self, tensor: Tensor) -> np.ndarray:
        self._device.wait()
        return decode(self._device.download(tensor.address, tensor.count, element_type(tensor.type)), tensor.type)

    def __call__(self, kind: str, shape: dict, types: dict, **given: Tensor) -> dict[str, Tensor]:
        """The tensors of an operator's buffers: those that are given by their names, and new ones."""
        op = Operator(kind, shape, types)
        if op not in self.operators:
            self.operators.append(op)
        made = launches(op, self._target, self._python)
        tensors = dict(given)
        for launch in made:
            for argument in launch.arguments:
                if isinstance(argument, Buffer) and argument.name not in tensors:
                    tensors[argument.name] = self._new(op, argument)
                elif isinstance(argument, Buffer):
                    self._check(op, argument, tensors[argument.name])
        unknown = set(given) - {a.name for launch in made for a in launch.arguments if isinstance(a, Buffer)}
        if unknown:
            raise ValueError("%s has no buffer %s" % (op.name, ", ".join(sorted(unknown))))
        addresses = {name: tensor.address for name, tensor in tensors.items()}
        for launch in made:
            self._device.run(launch, addresses)
        return tensors

    def _new(self, op: Operator, buffer: Buffer) -> Tensor:
        if buffer.role == "input" and not isinstance(buffer.init, tuple):
            raise ValueError("%s needs a tensor for %s" % (op.name, buffer.name))
        if isinstance(buffer.init, tuple):
            return self.tensor(np.array(buffer.init), buffer.type)
        address = self._device.allocate(int(size(buffer.count, buffer.type)))
        if buffer.role == "both":
            self._device.upload(address, np.zeros(element_count(buffer), element_type(buffer.type)))
        return Tensor(address, buffer.type, buffer.count)

    @staticmethod
    def _check(op: Operator, buffer: Buffer, tensor: Tensor) -> None:
        if tensor.type != buffer.type or tensor.count < buffer.count:
            what = (op.name, buffer.name, buffer.count, buffer.type, tensor.count, tensor.type)
            raise ValueError("%s: %s has %d numbers of %s, not %d of %s" % what)
