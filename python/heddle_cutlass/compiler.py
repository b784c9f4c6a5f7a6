"""The step of the DSL that turns MLIR with a kernel into a program for the host."""
import functools
import pathlib
import re
import tempfile

# What machine code begins with: an ELF file, or NVIDIA's container of such.
MAGIC = (b"\x7fELF", b"\x50\xed\x55\xba")
# The pass that compiles the kernels.
STAGE = re.compile(r"\bcute-to-nvvm\{")


def start_of_files(pipeline, kind):
    """Where the pass is told to write its files of a kind: what their paths begin with."""
    found = re.search(rf"\bdump-{kind}-path='([^']*)'", pipeline)
    return found and pathlib.Path(found.group(1))


def files(start, kind):
    """The files with such a start, which goes on with the architecture."""
    return sorted(start.parent.glob(f"{start.name}.*.{kind}")) if start else []


def machine_code(ir, module):
    """The constants of the program for the host that are machine code."""
    found = []
    for operation in module.body.operations:
        if operation.operation.name != "llvm.mlir.global" or "value" not in operation.attributes:
            continue
        value = operation.attributes["value"]
        if isinstance(value, ir.StringAttr) and value.value_bytes.startswith(MAGIC):
            found.append(operation)
    return found


def replace(ir, constant, text):
    with constant.context, constant.location:
        constant.attributes["value"] = ir.StringAttr.get(text)
        constant.attributes["global_type"] = ir.TypeAttr.get(ir.Type.parse(f"!llvm.array<{len(text)} x i8>"))


def give_ptx(ir, module, pipeline):
    """Puts the PTX that a pipeline has written where it has put machine code: into the program, and into files that
    the user asked for. Which of several would be whose cannot be told; the driver says then that there is no PTX."""
    written = files(start_of_files(pipeline, "ptx"), "ptx")
    constants = machine_code(ir, module)
    if len(written) != 1 or len(constants) != 1:
        return
    text = written[0].read_bytes() + b"\0"  # As a driver knows the end of PTX.
    replace(ir, constants[0], text)
    for file in files(start_of_files(pipeline, "cubin"), "cubin"):
        file.write_bytes(text)


def serve(compiler):
    """Changes `compiler`, the DSL's module of that name."""
    compile_module = compiler.Compiler.compile

    @functools.wraps(compile_module)
    def compile_to_ptx(self, module, pipeline, *args, **kwargs):
        with tempfile.TemporaryDirectory(prefix="heddle-cutlass-") as folder:
            if not start_of_files(pipeline, "ptx"):
                pipeline = STAGE.sub(f"cute-to-nvvm{{dump-ptx-path='{folder}/kernel' ", pipeline, count=1)
            made = compile_module(self, module, pipeline, *args, **kwargs)
            give_ptx(compiler.ir, module, pipeline)
            return made

    compiler.Compiler.compile = compile_to_ptx
