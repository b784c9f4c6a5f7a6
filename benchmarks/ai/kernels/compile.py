#!/usr/bin/env python3
"""Compiles specialisations of the Triton kernels of this folder to PTX; needs Triton, but no GPU.

usage: compile.py FOLDER < SPECIALISATIONS.json

The input is a list of objects as `Specialisation.described` of operators/library.py makes
them. FOLDER gets NAME.ptx for each, and NAME.json with what a launch has to know of it. The
kernel's name in the PTX is NAME with underscores.
"""
import importlib
import json
import os
import pathlib
import re
import sys

# The text must not depend on where this folder lies.
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.compiler.compiler import make_backend  # noqa: E402
from triton._C.libtriton import ir  # noqa: E402


def source_of(description):
    """A kernel with its types and constants; :16 behind a type means a multiple of 16."""
    function = getattr(importlib.import_module(description["module"]), description["function"])
    given, constants = description["signature"], description["constants"]
    signature, attributes = {}, {}
    for index, name in enumerate(function.arg_names):
        if name in constants:
            signature[name] = "constexpr"
            continue
        kind, _, aligned = given[name].partition(":")
        signature[name] = kind
        if aligned:
            attributes[(index,)] = [["tt.divisibility", int(aligned)]]
    return ASTSource(function, signature, constexprs=constants, attrs=attributes)


def ptx_of(description):
    """The PTX of a specialisation, by Triton's stages up to it, and what they say of it."""
    target = GPUTarget("cuda", int(description["target"].removeprefix("sm_")), 32)
    backend = make_backend(target)
    source = source_of(description)
    chosen = {"num_warps": description["warps"], "num_stages": description["stages"]}
    options = backend.parse_options(chosen)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages = {}
    backend.add_stages(stages, options, source.language)
    metadata = {"target": target, **options.__dict__}
    module = source.make_ir(target, options, backend.get_codegen_implementation(options),
                            backend.get_module_map(), context)  # fmt: skip
    for stage, step in stages.items():
        module = step(module, metadata)
        if stage == "ptx":
            return module, metadata
    raise SystemExit("Triton has no stage that makes PTX")


def named(text, old, new):
    """The text with another name of its kernel, without remarks on where it came from and spaces that say nothing."""
    text = re.sub(r"\b%s\b" % re.escape(old), new, text)
    lines = [re.sub(r", ", ",", re.sub(r"\s+", " ", line.strip())) for line in text.splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith((".loc", ".file", "//"))) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for description in json.load(sys.stdin):
        text, metadata = ptx_of(description)
        name = description["name"]
        kernel = name.replace("-", "_")
        header = "// Made by benchmarks/ai/kernels/compile.py from %s.py, Triton %s.\n"
        text = header % (description["module"], triton.__version__) + named(text, metadata["name"], kernel)
        (folder / (name + ".ptx")).write_text(text)
        about = {"kernel": kernel, "block": 32 * metadata["num_warps"], "shared": metadata["shared"]}
        (folder / (name + ".json")).write_text(json.dumps({**about, "made_of": description}, sort_keys=True))


if __name__ == "__main__":
    main()
