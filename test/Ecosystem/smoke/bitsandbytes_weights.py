"""bitsandbytes: weights of four and eight bits and an optimiser whose state has eight, against the host."""
import sys

import bitsandbytes
import bitsandbytes.functional as quantized
import torch


def error(got, wanted):
    return ((got.detach().cpu().float() - wanted.detach()).norm() / wanted.detach().norm()).item()


def four_bits(x):
    """Weights that were made and read by the device, read by the host's code; and products with them."""
    weights, state = quantized.quantize_4bit(x.cuda(), quant_type="nf4", blocksize=64)
    read = quantized.dequantize_4bit(weights, state)
    host = quantized.dequantize_4bit(*quantized.quantize_4bit(x, quant_type="nf4", blocksize=64))
    layer = bitsandbytes.nn.Linear4bit(512, 256, bias=False, quant_type="nf4", compute_dtype=torch.float32)
    layer.load_state_dict({"weight": x})
    layer = layer.cuda()
    rows = torch.randn(3, 512, generator=torch.Generator().manual_seed(1))
    wanted = rows @ quantized.dequantize_4bit(layer.weight.data, layer.weight.quant_state).cpu().T
    return {"nf4": (error(read, host), 0), "product": (error(layer(rows.cuda()), wanted), 1e-5),
            "one row": (error(layer(rows[:1].cuda()), wanted[:1]), 1e-5)}


def eight_bits(x):
    linear = torch.nn.Linear(512, 256)
    layer = bitsandbytes.nn.Linear8bitLt(512, 256, has_fp16_weights=False)
    layer.load_state_dict(linear.state_dict())
    rows = torch.randn(3, 512, generator=torch.Generator().manual_seed(2))
    read = quantized.dequantize_blockwise(*quantized.quantize_blockwise(x.cuda()))
    return {"blocks": (error(read, x), 0.02),
            "int8": (error(layer.cuda()(rows.cuda().half()), linear(rows)), 0.02)}


def optimiser(x):
    on_device, on_host = torch.nn.Parameter(x.cuda()), torch.nn.Parameter(x.clone())
    device, host = bitsandbytes.optim.Adam8bit([on_device], lr=1e-2), torch.optim.Adam([on_host], lr=1e-2)
    random = torch.Generator().manual_seed(3)
    for _ in range(4):
        slopes = torch.randn(x.shape, generator=random)
        on_device.grad, on_host.grad = slopes.cuda(), slopes
        device.step()
        host.step()
    return {"Adam8bit": (error(on_device.cpu() - x, on_host - x), 0.03)}


def main():
    x = torch.randn(256, 512, generator=torch.Generator().manual_seed(0))
    failures = 0
    for part in (four_bits, eight_bits, optimiser):
        for name, (got, allowed) in part(x).items():
            if not got <= allowed:
                failures += 1
                print("%s: off by %.1e" % (name, got))
    print("FAIL" if failures else "PASS")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
