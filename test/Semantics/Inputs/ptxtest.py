"""Writes PTX kernels with a manifest that says what they must compute.

A test makes a Module, adds kernels to it, and for each launch says what every
buffer holds in the end. Expected values are computed by the test, in Python.
"""

import json
import os

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF

REGISTERS = """  .reg .pred %p<32>;
  .reg .b16 %h<16>;
  .reg .b32 %r<64>;
  .reg .f32 %f<16>;
  .reg .b64 %d<32>;
"""


class Module:
    def __init__(self, target="sm_100a", version="8.7"):
        self.head = ".version %s\n.target %s\n.address_size 64\n\n" % (
            version,
            target,
        )
        self.text = []
        self.launches = []
        self.expect = []
        self.buffers = 0
        self.more = {}  # further keys of the manifest

    def add(self, text):
        """Functions and variables of the module."""
        self.text.append(text)

    def kernel(self, name, inputs, outputs, body, directives=""):
        """A kernel whose parameters are buffers. Each becomes a register %NAME
        with the address of this thread's element, %NAMEs that of the whole."""
        params = [n for n, _ in inputs] + [n for n, _ in outputs]
        lines = [
            ".visible .entry %s(%s) %s\n{\n" % (
                name,
                ", ".join(".param .u64 p_%s" % n for n in params),
                directives,
            ),
            REGISTERS,
            "  .reg .b32 %me, %lid, %all;\n  .reg .b64 %wide;\n",
            "  mov.u32 %me, %tid.x;\n  mov.u32 %lid, %laneid;\n",
            "  mov.u32 %all, %ctaid.x;\n  mov.u32 %r0, %ntid.x;\n",
            "  mad.lo.u32 %all, %all, %r0, %me;\n",
        ]
        for n, size in inputs + outputs:
            lines.append("  .reg .b64 %%%s, %%%ss;\n" % (n, n))
            lines.append("  ld.param.u64 %%%ss, [p_%s];\n" % (n, n))
            lines.append("  mul.wide.u32 %%wide, %%all, %d;\n" % size)
            lines.append("  add.u64 %%%s, %%%ss, %%wide;\n" % (n, n))
        lines += [body.rstrip("\n"), "\n  ret;\n}\n"]
        self.text.append("".join(lines))

    def launch(self, name, inputs, outputs, block, grid=1, **more):
        """Inputs and expected outputs are (type, list of bit patterns)."""
        args = []
        for ty, values in inputs:
            args.append(
                {
                    "buffer": self.buffer(),
                    "type": ty,
                    "init": {"bits": [hex(v) for v in values]},
                }
            )
        for ty, values in outputs:
            name_of = self.buffer()
            args.append(
                {
                    "buffer": name_of,
                    "type": ty,
                    "count": len(values),
                    "init": "zero",
                }
            )
            self.expect.append(
                {"buffer": name_of, "bits": [hex(v) for v in values]}
            )
        self.launches.append(
            dict(
                entry=name,
                grid=grid if isinstance(grid, list) else [grid],
                block=block if isinstance(block, list) else [block],
                args=args,
                **more
            )
        )

    def buffer(self):
        self.buffers += 1
        return "b%d" % self.buffers

    def write(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name + ".ptx"), "w") as f:
            f.write(self.head + "\n".join(self.text))
        with open(os.path.join(folder, name + ".json"), "w") as f:
            manifest = {"module": name + ".ptx", "launches": self.launches}
            if "expect_error" not in self.more:
                manifest["expect"] = self.expect
            manifest.update(self.more)
            json.dump(manifest, f)
