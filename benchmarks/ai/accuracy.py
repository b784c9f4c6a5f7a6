#!/usr/bin/env python3
"""How far times of slices and cuts of launches are from times of whole launches.

    PATH=build/bin:$PATH benchmarks/ai/accuracy.py [--chips h200-like,hd10] [--only TEXT]"""
import argparse

import run
from measure import Bench, MeasureError, Timing
from models import Chip, read_chips
from operators import Operator

# Operators that the model can time as a whole in minutes.
TRIALS = (
    Operator("gemv", {"n": 6144, "k": 4096}),
    Operator("gemv", {"n": 14336, "k": 4096}, {"epilogue": "silu_mul"}),
    Operator("gemv", {"n": 4096, "k": 14336}, {"b": "f8e4m3"}),
    Operator("gemv", {"n": 28672, "k": 4096}, {"b": "i4"}),
    Operator("gemv", {"m": 8, "n": 14336, "k": 4096}),
    Operator("gemm", {"m": 64, "n": 14336, "k": 4096}),
    Operator("gemm", {"m": 512, "n": 4096, "k": 4096}),
    Operator("gemm", {"m": 1024, "n": 3072, "k": 2048}),
    Operator("gemm", {"m": 4096, "n": 4096, "k": 1024}),
    Operator("gemm", {"m": 2048, "n": 1024, "k": 4096}, {"epilogue": "bias_residual"}),
    Operator("gemm", {"m": 512, "n": 4096, "k": 4096}, {"a": "f8e4m3", "b": "f8e4m3"}),
    Operator("conv2d", {"n": 8, "h": 28, "w": 28, "c": 512, "k": 256, "r": 3, "s": 3, "pad": 1}),
    Operator("conv2d", {"n": 32, "h": 28, "w": 28, "c": 1024, "k": 256, "r": 1, "s": 1}, {"epilogue": "bias_relu"}),
    Operator("conv2d", {"n": 2, "h": 64, "w": 64, "c": 320, "k": 320, "r": 3, "s": 3, "pad": 1}),
    Operator("attention_decode", {"batch": 8, "heads": 32, "kv_heads": 8, "kv": 2048, "head_dim": 128}),
    Operator("attention_prefill", {"heads": 8, "kv_heads": 2, "q": 2048, "kv": 2048, "head_dim": 128}),
    Operator("attention_decode", {"batch": 1, "heads": 32, "kv_heads": 8, "kv": 32768, "head_dim": 128}),
    Operator("attention_prefill", {"batch": 16, "heads": 16, "kv_heads": 16, "q": 384, "kv": 384, "head_dim": 64,
                                   "causal": 0}),
    Operator("groupnorm_silu", {"n": 2, "h": 128, "w": 128, "c": 320}),
    Operator("rmsnorm", {"rows": 4096, "columns": 4096}, {"residual": "fused"}),
    # What writes more than L2 holds.
    Operator("rmsnorm", {"rows": 8000, "columns": 4096}, {"residual": "fused"}),
    Operator("layernorm", {"rows": 12288, "columns": 1024}),
    Operator("silu_mul", {"rows": 512, "columns": 14336}),
    Operator("cross_entropy", {"rows": 2048, "vocabulary": 50257, "padded": 50304}, {"type": "bf16"}),
    Operator("bias_gradient", {"rows": 16384, "columns": 3072}, {"type": "bf16"}),
)


class WholeBench(Bench):
    """Times launches as they are."""

    def slice_of(self, op: Operator, chip: Chip) -> int:
        return chip.cores

    def like(self, op: Operator) -> Operator:
        return op

    def time(self, op: Operator, chip: Chip) -> Timing:
        return self.time_whole(op, chip)

    def time_launch(self, op, launch, like, chip, cost, ctas):
        return super().time_launch(op, launch, like, chip, 0, ctas)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    run.arguments(parser)
    parser.add_argument("--chips", default="h200-like")
    parser.add_argument("--only", default="", help="operators in whose names this stands")
    options = parser.parse_args()
    bench = run.evaluator_of(options).bench
    whole = WholeBench(bench.store, bench.tools, bench.python)
    offs, inside = [], 0
    print("| operator | chip | whole us | estimated us | off | stated |\n|---|---|---|---|---|---|")
    for name in options.chips.split(","):
        chip = read_chips()[name]
        for op in (op for op in TRIALS if options.only in op.name):
            try:
                guess, real = bench.time(op, chip), whole.time(op, chip)
            except MeasureError as problem:
                run.tell("%s on %s: %s" % (op.name, name, problem))
                continue
            off = guess.seconds / real.seconds - 1
            offs.append(off)
            inside += abs(off) <= guess.error
            figures = (op.name, name, 1e6 * real.seconds, 1e6 * guess.seconds, 100 * off, 100 * guess.error)
            print("| %s | %s | %.2f | %.2f | %+.1f %% | %.0f %% |" % figures, flush=True)
    if offs:
        print("%d of %d within their error; %.1f %% off on average" % (
            inside, len(offs), 100 * sum(map(abs, offs)) / len(offs)))


if __name__ == "__main__":
    main()
