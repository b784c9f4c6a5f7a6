"""llm.c's kernels for training, dev/cuda: each of its programs compares what each of its
kernels computes, in blocks of many sizes, with a reference on the host."""
import shutil

import cuda_projects
import pytest

# Batches, words, the vocabulary (which no size of a block divides) and repetitions.
SMALL = {"B": 2, "T": 128, "V": 2051, "repeat_times": 1}

# The kernels of each program by their numbers.
KERNELS = {
    "adamw": range(1, 3),
    "attention_backward": range(1, 9),
    "attention_forward": range(1, 7),
    "classifier_fused": range(1, 6),
    "crossentropy_forward": [1],
    "crossentropy_softmax_backward": [1],
    "encoder_backward": range(1, 3),
    "encoder_forward": range(1, 4),
    "fused_residual_forward": range(1, 7),
    "gelu_backward": range(1, 3),
    "gelu_forward": range(1, 3),
    "global_norm": range(1, 5),
    "layernorm_backward": range(2, 11),
    "layernorm_forward": range(1, 7),
    "matmul_backward": [1],
    "matmul_backward_bias": [1, 2, 3, 4, 7, 8, 9],  # 5 is for single precision
    "matmul_forward": range(1, 4),
    "permute": [1],
    "residual_forward": range(1, 3),
    "softmax_forward": range(1, 9),
    "trimat_forward": range(0, 5),
}

# Sizes that a kernel can do nothing else with: one that divides, or 1,024 words.
OWN_SIZES = {
    "layernorm_backward": {"C": 768},
    ("attention_backward", 6): {"B": 1, "T": 1024, "C": 64, "NH": 1},
}


def sizes_of(program, kernel):
    return {**SMALL, **OWN_SIZES.get(program, {}), **OWN_SIZES.get((program, kernel), {})}


def build(program, sizes, checkout, work):
    """The program with these sizes in its source."""
    label = "-".join(f"{name}{value}" for name, value in sizes.items())
    folder = work / label
    if not folder.exists():
        shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(".git"))
    source = folder / "dev" / "cuda" / f"{program}.cu"
    text = (checkout / "dev" / "cuda" / source.name).read_text(encoding="utf-8")
    source.write_text(cuda_projects.with_constants(text, sizes), encoding="utf-8")
    return cuda_projects.compile_cuda([source], folder / program, "--use_fast_math", "-Xcompiler", "-fopenmp",
                                      libraries=("cublas", "cublasLt"))


@pytest.mark.parametrize("program,kernel", [(name, kernel) for name, kernels in KERNELS.items()
                                            for kernel in kernels])
def test_kernel(program, kernel, checkout, work):
    binary = build(program, sizes_of(program, kernel), checkout, work)
    said = cuda_projects.run([binary, str(kernel)], binary.parent)
    assert "esults match" in said, said[-500:]
