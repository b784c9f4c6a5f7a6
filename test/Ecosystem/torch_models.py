"""Whole models on the device and on the host.

Each model has the same weights and gets the same input on both: the losses and gradients have to be equal within
what single precision leaves of them, and words that are generated have to be the same.
"""
import copy

import pytest
import torch
from torch import nn
from torch.nn import functional

DEVICES = ("cpu", "cuda")


class Block(nn.Module):
    """A block of a language model: attention to what came before, and a perceptron."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.attention(self.norms[0](x)).view(batch, length, 3, self.heads, width // self.heads)
        found = functional.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4), is_causal=True)
        x = x + self.project(found.transpose(1, 2).reshape(batch, length, width))
        return x + self.perceptron(self.norms[1](x))


class LanguageModel(nn.Module):
    """GPT-2's architecture, small."""

    def __init__(self, words=128, length=32, width=64, layers=2, heads=4):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, text):
        x = self.words(text) + self.places(torch.arange(text.shape[1], device=text.device))
        return self.head(self.norm(self.blocks(x)))


class Residual(nn.Module):
    """Two convolutions of what a UNet has, with the time of a step of diffusion added between them."""

    def __init__(self, inputs, outputs, times):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(4, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1))
        self.time = nn.Linear(times, outputs)
        self.second = nn.Sequential(nn.GroupNorm(4, outputs), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.past = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        return self.past(x) + self.second(self.first(x) + self.time(time)[:, :, None, None])


class UNet(nn.Module):
    """The architecture that images are denoised with, small: down, attention between places, up."""

    def __init__(self, width=16, times=32):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(times, times), nn.SiLU(), nn.Linear(times, times))
        self.begin, self.end = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, 3, 3, padding=1)
        self.down, self.shrink = Residual(width, width, times), nn.Conv2d(width, 2 * width, 3, 2, 1)
        self.middle, self.attention = Residual(2 * width, 2 * width, times), nn.MultiheadAttention(2 * width, 4)
        self.grow, self.up = nn.ConvTranspose2d(2 * width, width, 4, 2, 1), Residual(2 * width, width, times)
        self.register_buffer("waves", torch.exp(torch.linspace(0, -6, times // 2)))

    def forward(self, x, step):
        turns = step[:, None] * self.waves
        time = self.time(torch.cat([turns.sin(), turns.cos()], 1))
        kept = self.down(self.begin(x), time)
        small = self.middle(self.shrink(kept), time)
        places = small.flatten(2).permute(2, 0, 1)
        small = small + self.attention(places, places, places)[0].permute(1, 2, 0).view_as(small)
        return self.end(functional.silu(self.up(torch.cat([self.grow(small), kept], 1), time)))


def denoise(device, steps=8):
    """The losses of a UNet that learns noise, and an image that it makes of noise."""
    torch.manual_seed(0)
    model, images = UNet().to(device), torch.rand(4, 3, 16, 16)
    noises, times = torch.randn(steps, 4, 3, 16, 16), torch.rand(steps, 4)
    optimizer, losses = torch.optim.AdamW(model.parameters(), 2e-3), []
    for noise, time in zip(noises, times):
        part = time[:, None, None, None]
        mixed = (1 - part) * images + part * noise
        optimizer.zero_grad()
        loss = functional.mse_loss(model(mixed.to(device), 1000 * time.to(device)), noise.to(device))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    x = noises[0, :1].to(device)
    with torch.no_grad():
        for step in range(4, 0, -1):
            x = x - model(x, torch.full((1, ), 250.0 * step, device=device)) / 4
    return losses, x.cpu()


def train(device, steps=20):
    """The losses of a model that learns one text by heart."""
    torch.manual_seed(0)
    text = torch.randint(0, 128, (4, 33)).to(device)
    model = LanguageModel().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_gpt_is_trained():
    expected, found = (train(device) for device in DEVICES)
    assert found == pytest.approx(expected, rel=1e-3)
    assert found[-1] < found[0] / 2


def test_unet_denoises():
    (expected, image), (found, ours) = (denoise(device) for device in DEVICES)
    assert found == pytest.approx(expected, rel=1e-3)
    assert found[-1] < found[0]
    torch.testing.assert_close(ours, image, rtol=1e-2, atol=1e-2)


def test_resnet_has_gradients():
    torchvision = pytest.importorskip("torchvision")
    torch.manual_seed(0)
    model, images = torchvision.models.resnet18(), torch.randn(2, 3, 64, 64)
    results = []
    for device in DEVICES:
        own = copy.deepcopy(model).to(device)
        output = own(images.to(device))
        functional.cross_entropy(output, torch.tensor([1, 2], device=device)).backward()
        results.append([output.detach(), *(parameter.grad for parameter in own.parameters())])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found.cpu(), expected, rtol=1e-3, atol=1e-3 * expected.abs().max().item())


def test_llama_generates():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=1000, hidden_size=128, intermediate_size=256, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=128)).eval()
    begin = torch.tensor([[1, 5, 9, 77]])
    expected, found = (copy.deepcopy(model).to(device).generate(
        begin.to(device), max_new_tokens=32, do_sample=False, pad_token_id=0).tolist() for device in DEVICES)
    assert len(expected[0]) > begin.numel()
    assert found == expected
