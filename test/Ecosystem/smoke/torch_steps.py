"""Three steps of training by eager operations of PyTorch, on the device and on the
host, and a kernel of Inductor's in between."""
import sys

import torch


def train(device, activation):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.LayerNorm(64), torch.nn.Linear(64, 1)).to(device)
    numbers = torch.randn(16, 32).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = activation(model(numbers)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def curve(x):
    return torch.sin(x) * 2 + x


def main():
    found, expected = train("cuda", torch.compile(curve)), train("cpu", curve)
    is_right = all(abs(a - b) < 1e-4 * abs(b) for a, b in zip(found, expected)) and expected[2] < expected[0]
    print("PASS" if is_right else f"FAIL: {found} instead of {expected}")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
