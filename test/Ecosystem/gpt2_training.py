#!/usr/bin/env python3
"""Trains a language model of GPT-2's size on the device or the host, and prints the loss of each step.

usage: gpt2_training.py STATE DEVICE [SECONDS]

The model has 124,439,808 numbers and random weights, and learns 32 words by heart in 20 steps. A run that has not done
them within SECONDS leaves its state in the file STATE.DEVICE, and the next one goes on from there. With DEVICE `compare`
it runs none, but says how far the losses of STATE.cuda are from those of STATE.cpu.
"""
import pathlib
import sys
import time

import torch
from torch import nn
from torch.nn import functional
from torch_models import LanguageModel

ALL_STEPS, WORDS, LENGTH = 20, 50257, 32


def begin():
    """The model with GPT-2's distribution of weights."""
    torch.manual_seed(0)
    model = LanguageModel(WORDS, length=1024, width=768, layers=12, heads=12)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=0.02)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model, torch.randint(0, WORDS, (1, LENGTH + 1))


def step(model, optimizer, text):
    optimizer.zero_grad()
    loss = functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def train(path, device, seconds):
    end = time.monotonic() + seconds
    model, text = begin()
    state = torch.load(path, map_location="cpu", mmap=True) if path.exists() else {"losses": []}
    losses = state["losses"]
    if "model" in state:
        model.load_state_dict(state["model"])
    model, text = model.to(device), text.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    if "optimizer" in state:
        optimizer.load_state_dict(state["optimizer"])
    while len(losses) < ALL_STEPS and (start := time.monotonic()) < end:
        losses.append(step(model, optimizer, text))
        print(f"{device} step {len(losses)}: loss {losses[-1]:.6f}, {time.monotonic() - start:.1f} s", flush=True)
    rest = {} if len(losses) == ALL_STEPS else {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    made = path.with_suffix(".new")
    torch.save({"losses": losses, **rest}, made)
    made.rename(path)


def compare(path):
    expected, found = (torch.load(f"{path}.{device}", map_location="cpu", mmap=True)["losses"]
                       for device in ("cpu", "cuda"))
    worst = max(abs(a - b) / b for a, b in zip(found, expected, strict=True))
    print(f"{len(found)} steps, losses from {found[0]:.4f} to {found[-1]:.4f}, {worst:.1e} from the host's at most")
    return len(found) != ALL_STEPS or worst > 1e-3 or found[-1] > found[0] / 2


def main():
    path, device, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else float("inf")
    if device == "compare":
        return compare(path)
    train(pathlib.Path(f"{path}.{device}"), device, seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
