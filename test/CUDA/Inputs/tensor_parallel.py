#!/usr/bin/env python3
"""A step of a tensor-parallel model in two processes with a device each.

usage: tensor_parallel.py FOLDER

The first layer is divided by columns, the second one by rows, as PyTorch's
tensor.parallel does it: the output and the gradients of all parameters have to be those
of the whole model on one device. Prints PASS if they are.
"""
import os
import sys

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

RANKS = 2
PLAN = {"0": ColwiseParallel, "2": RowwiseParallel}


def make_model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))


def make_data():
    torch.manual_seed(2)
    return torch.randn(16, 32), torch.randn(16, 8)


def step(model, device):
    """The output and the gradients, on the host."""
    inputs, targets = (part.to(device) for part in make_data())
    output = model(inputs)
    ((output - targets) ** 2).mean().backward()
    whole = lambda tensor: tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return [whole(tensor).detach().cpu() for tensor in (output, *(p.grad for p in model.parameters()))]


def work(rank, store, results):
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl", init_method="file://" + store, rank=rank, world_size=RANKS)
    mesh = init_device_mesh("cuda", (RANKS,))
    model = make_model().cuda()
    alone = step(make_model().cuda(), "cuda") if rank == 0 else None
    parallelize_module(model, mesh, {name: style() for name, style in PLAN.items()})
    shapes = [tuple(p.to_local().shape) for p in model.parameters() if hasattr(p, "to_local")]
    together = step(model, "cuda")
    if rank == 0:
        torch.save((alone, together, shapes), results)
    distributed.barrier()
    # See docs/devices.md.
    sys.stdout.flush()
    os._exit(0)


def main():
    store, results = (os.path.join(sys.argv[1], name) for name in ("store", "results"))
    for path in (store, results):
        if os.path.exists(path):
            os.remove(path)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=work, args=(rank, store, results)) for rank in range(RANKS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit("a process failed")
    alone, together, shapes = torch.load(results)
    # Each process has half of each layer.
    if shapes[0] != (32, 32) or (8, 32) not in shapes:
        sys.exit(f"the layers are not divided: {shapes}")
    for one, other in zip(alone, together, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-5, atol=1e-6)
    print("PASS")


if __name__ == "__main__":
    main()
