#!/usr/bin/env python3
"""A step of PyTorch's DistributedDataParallel in two processes with a device each.

usage: ddp.py FOLDER

Prints PASS if the gradients are those of one model on the host with all data.
"""
import os
import sys

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing
from torch.nn.parallel import DistributedDataParallel

RANKS = 2


def make_model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))


def make_data():
    torch.manual_seed(2)
    return torch.randn(16, 32), torch.randn(16, 8)


def loss_of(model, inputs, targets):
    return ((model(inputs) - targets) ** 2).mean()


def work(rank, store, gradients):
    torch.cuda.set_device(rank)
    distributed.init_process_group(
        "nccl", init_method="file://" + store, rank=rank, world_size=RANKS)
    model = DistributedDataParallel(make_model().cuda(), device_ids=[rank])
    # Each has half of the data; the gradients are the means of both.
    inputs, targets = (part.chunk(RANKS)[rank].cuda() for part in make_data())
    loss_of(model, inputs, targets).backward()
    if rank == 0:
        torch.save([parameter.grad.cpu() for parameter in model.parameters()], gradients)
    distributed.destroy_process_group()
    # The destructors of PyTorch 2.15 damage the heap when such a process exits, with
    # any libnccl.
    os._exit(0)


def main():
    store, gradients = (os.path.join(sys.argv[1], name) for name in ("store", "gradients"))
    for path in (store, gradients):
        if os.path.exists(path):
            os.remove(path)
    multiprocessing.spawn(work, args=(store, gradients), nprocs=RANKS)
    model = make_model()
    loss_of(model, *make_data()).backward()
    for ours, parameter in zip(torch.load(gradients), model.parameters(), strict=True):
        torch.testing.assert_close(ours, parameter.grad, rtol=1e-4, atol=1e-6)
    print("PASS")


if __name__ == "__main__":
    main()
