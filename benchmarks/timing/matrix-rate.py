#!/usr/bin/env python3
"""The rate of products of matrices in the timing model.

usage: matrix-rate.py [BIN] [CHIP]

Fills the chip with CTAs that do nothing but products of bf16, by wgmma (m64n256k16, two warpgroups) and by
tcgen05.mma (128 x 256 x 16),
and prints the floating-point operations in a second of the chip's time. BIN has ptx-prof (build/bin). docs/matrix.md
quotes it.
"""

import json
import os
import subprocess
import sys
import tempfile

CORES = {"hd100": 132, "hd10": 16}
PRODUCTS = 48

# Matrices without swizzling: 8 x 16 bytes side by side along K, then below.
DESCRIPTOR = 128 >> 4 << 16 | 256 >> 4 << 32


def wgmma():
    registers = ", ".join("%%d%d" % i for i in range(128))
    product = "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%s}, %%q, %%q, 1, 1, 1, 0, 0;" % registers
    zeros = "\n".join("  mov.f32 %%d%d, 0f00000000;" % i for i in range(128))
    # All of D is wanted, without many stores that would take their time.
    sums = "\n".join("  add.f32 %%d%d, %%d%d, %%d%d;" % (i, i, i + n) for n in (64, 32, 16, 8, 4, 2, 1) for i in range(n))
    return """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %%p;
  .reg .b32 %%n;
  .reg .f32 %%d<128>;
  .reg .b64 %%q, %%o;
  .shared .align 1024 .b8 tile[8192];
%s
  mov.u32 %%n, tile;
  bfe.u32 %%n, %%n, 4, 14;
  cvt.u64.u32 %%q, %%n;
  or.b64 %%q, %%q, %d;
  mov.u32 %%n, 0;
  wgmma.fence.sync.aligned;
L:
  %s
  add.u32 %%n, %%n, 1;
  setp.lt.u32 %%p, %%n, %d;
  @%%p bra L;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  ld.param.u64 %%o, [out];
%s
  st.global.f32 [%%o], %%d0;
  ret;
}
""" % (zeros, DESCRIPTOR, product, PRODUCTS, sums), 256, 2 * 2 * 64 * 256 * 16


def tcgen05():
    kinds = 1 << 4 | 1 << 7 | 1 << 10 | 256 >> 3 << 17 | 128 >> 4 << 24
    return """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %%p, %%first;
  .reg .b32 %%n, %%t, %%ta;
  .reg .b64 %%q;
  .shared .align 1024 .b8 tile[8192];
  .shared .align 8 .b64 over;
  .shared .align 4 .b32 columns;
  mov.u32 %%t, %%tid.x;
  setp.eq.u32 %%first, %%t, 0;
  @%%first mbarrier.init.shared::cta.b64 [over], 1;
  setp.ge.u32 %%p, %%t, 32;
  @%%p bra allocated;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [columns], 256;
allocated:
  bar.sync 0;
  ld.shared.u32 %%ta, [columns];
  mov.u32 %%n, tile;
  bfe.u32 %%n, %%n, 4, 14;
  cvt.u64.u32 %%q, %%n;
  or.b64 %%q, %%q, %d;
  @!%%first bra wait;
  mov.u32 %%n, 0;
L:
  setp.ne.u32 %%p, %%n, 0;
  tcgen05.mma.cta_group::1.kind::f16 [%%ta], %%q, %%q, %d, %%p;
  add.u32 %%n, %%n, 1;
  setp.lt.u32 %%p, %%n, %d;
  @%%p bra L;
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [over];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %%p, [over], 0;
  @!%%p bra wait;
  bar.sync 0;
  setp.ge.u32 %%p, %%t, 32;
  @%%p bra done;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%ta, 256;
done:
  ret;
}
""" % (DESCRIPTOR | 1 << 46, kinds, PRODUCTS), 128, 2 * 128 * 256 * 16


def measure(binaries, chip, name, text, threads, operations):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "k.ptx"), "w") as f:
            f.write(text)
        manifest = os.path.join(folder, "k.json")
        with open(manifest, "w") as f:
            out = {"buffer": "out", "type": "f32", "count": 1, "init": "zero"}
            json.dump({"module": "k.ptx", "entry": "k", "grid": [CORES[chip]], "block": [threads], "args": [out]}, f)
        command = [os.path.join(binaries, "ptx-prof"), "run", "--json", "--no-advice", "--chip", chip, manifest]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    metrics = report["launches"][0]["metrics"]
    cycles, time = (metrics[m]["value"] for m in ("gpc__cycles_elapsed.max", "gpu__time_duration.sum"))
    rate = CORES[chip] * PRODUCTS * operations / (time * 1e-6)
    print("%-8s %6d cycles  %.3f PFLOP/s" % (name, cycles, rate / 1e15))


def main():
    binaries = sys.argv[1] if len(sys.argv) > 1 else "build/bin"
    chip = sys.argv[2] if len(sys.argv) > 2 else "hd100"
    for make in (wgmma, tcgen05):
        measure(binaries, chip, make.__name__, *make())


if __name__ == "__main__":
    main()
