"""Carries out an operation on the host for tensors on the device."""
import collections
import logging
import numbers
import threading

import torch
from torch.utils import _pytree as pytree

from heddle_torch import transfers

LOG = logging.getLogger("heddle_torch")
CALLS = collections.Counter()
LOCK = threading.Lock()


def count(name):
    """Counts a call and says the first of each operation."""
    with LOCK:
        CALLS[name] += 1
        is_first = CALLS[name] == 1
    if is_first:
        LOG.warning("%s runs on the host: PyTorch has machine code for it, but no PTX", name)


def is_on_device(value):
    return isinstance(value, torch.Tensor) and value.is_cuda and value.layout == torch.strided


class Arguments:
    """The arguments of a call, on the host, and what has to go back."""

    def __init__(self, schema, args, kwargs):
        self.device = None
        self.copies = {}  # By identity of the tensor on the device: (tensor, host).
        given = list(zip(schema.arguments, args))
        by_name = {argument.name: argument for argument in schema.arguments}
        given += [(by_name[name], value) for name, value in kwargs.items()]
        self.written = {
            id(leaf): leaf
            for argument, value in given if argument.alias_info and argument.alias_info.is_write
            for leaf in pytree.tree_leaves(value) if is_on_device(leaf)}
        self.args = [pytree.tree_map(self.take, value) for value in args]
        self.kwargs = {name: pytree.tree_map(self.take, value) for name, value in kwargs.items()}

    def take(self, value):
        if isinstance(value, torch.device):
            if value.type != "cuda":
                return value
            self.device = self.device or value
            return torch.device("cpu")
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            return self.take_generator(value)
        if not is_on_device(value):
            return value
        self.device = self.device or value.device
        if id(value) not in self.copies:
            self.copies[id(value)] = (value, transfers.to_host(value))
        return self.copies[id(value)][1]

    def take_generator(self, generator):
        """A generator of the host whose numbers follow from the state of the device's."""
        host = torch.Generator()
        host.manual_seed((generator.initial_seed() * 0x9E3779B97F4A7C15 + generator.get_offset()) % 2**63)
        generator.set_offset(generator.get_offset() + 4)
        return host

    def finish(self, result):
        """Brings back what was written, and gives the results on the device."""
        originals = {}
        for identity, tensor in self.written.items():
            _, host = self.copies[identity]
            originals[id(host)] = tensor
            self.put_back(tensor, host)

        def give(value):
            if not isinstance(value, torch.Tensor) or value.is_cuda:
                return value
            if id(value) in originals:
                return originals[id(value)]
            if value.layout != torch.strided:
                return value.to(self.device)  # Its parts are tensors with strides.
            return transfers.to_device(value, self.device)

        return pytree.tree_map(give, result)

    @staticmethod
    def put_back(tensor, host):
        if host.size() != tensor.size() or host.stride() != tensor.stride():
            # An `out` that did not fit has been resized.
            tensor.resize_(host.size())
            if tensor.stride() != host.stride():
                tensor.as_strided_(host.size(), host.stride())
        transfers.write_back(tensor, host)


def takes_numbers(op, args):
    """Whether a number stands for a tensor, as PyTorch gives numbers that it has made
    tensors of to Python."""
    return any(isinstance(value, numbers.Number) and isinstance(argument.type, torch.TensorType)
               for argument, value in zip(op._schema.arguments, args))


def run(op, args, kwargs):
    """The result of an operation, as if the device had computed it."""
    count(op.name())
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError(f"{op.name()} runs on the host, so that no graph can hold it")
    arguments = Arguments(op._schema, args, kwargs)
    if arguments.device is None:
        arguments.device = torch.device("cuda", torch.cuda.current_device())
    # Only the choice among all of the name knows what a number means there.
    call = op.overloadpacket if takes_numbers(op, args) else op
    return arguments.finish(call(*arguments.args, **arguments.kwargs))
