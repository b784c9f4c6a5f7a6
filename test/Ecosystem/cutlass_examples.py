"""CUTLASS's own examples of its DSL for Python: each of them, at a size that the emulator runs in a minute, finds what
it computes equal to PyTorch's or NumPy's on the host."""
import os
import shlex
import sys

import cuda_projects
import pytest

FOLDER = "examples/python/CuTeDSL"
AMPERE, HOPPER, BLACKWELL = (f"cute/{name}/kernel" for name in ("ampere", "hopper", "blackwell"))
ATTENTION = "--batch_size 1 --seqlen_q 128 --num_head 1 --head_dim 64"
# Of GPUs of each compute capability: an example, its arguments, and what it says where it says anything.
EXAMPLES = {
    "9.0": [
        (f"{AMPERE}/elementwise/elementwise_add.py", "--M 64 --N 128", "PASS"),
        (f"{AMPERE}/elementwise/elementwise_apply.py", "", "PASS"),
        (f"{AMPERE}/dense_gemm/sgemm.py", "--mnk 128,128,64", "PASS"),
        (f"{AMPERE}/dense_gemm/tensorop_gemm.py", "--mnkl 128,128,64,1 --benchmark none", "PASS"),
        (f"{AMPERE}/attention/flash_attention_v2.py",
         f"{ATTENTION} --seqlen_k 192 --is_causal --warmup_iterations 0 --iterations 1", "PASS"),
        (f"{AMPERE}/attention/hstu_attention.py", f"{ATTENTION} --seqlen_kv 128", "PASS"),
        (f"{HOPPER}/cta_norm/cta_norm.py", "--M 16 --N 512", "PASS"),
        (f"{HOPPER}/cta_norm/cta_norm.py", "--M 16 --N 512 --norm_type rms", "PASS"),
        (f"{HOPPER}/dense_gemm/dense_gemm.py", "--mnkl 256,256,128,1", "PASS"),
        (f"{HOPPER}/dense_gemm/dense_gemm_persistent.py", "--mnkl 256,384,128,1 --cluster_shape_mn 2,1", "PASS"),
        (f"{HOPPER}/dense_gemm/dense_gemm_fp8_2xacc.py", "--mnkl 256,256,256,1", "PASS"),
        (f"{HOPPER}/dense_gemm/dense_gemm_fp8_gelu_persistent.py", "--mnkl 256,256,128,1", "PASS"),
        (f"{HOPPER}/grouped_gemm/grouped_gemm.py",
         "--num_groups 2 --problem_sizes_mnkl '(128,128,128,1),(256,64,64,1)'", "PASS"),
        (f"{HOPPER}/attention/fmha.py", "--q_shape 1,128,2,128 --k_shape 1,128,2,128", "PASS"),
        ("dsl_tutorials/dynamic_smem_size.py", "", "PASS"),
        ("dsl_tutorials/inline_ptx.py", "", "verified successfully"),
        ("dsl_tutorials/programmatic_dependent_launch.py", "", "PASS"),
        ("dsl_tutorials/launch_completion_and_programmatic_events.py", "", "PASS"),
    ],
    "10.0": [
        (f"{BLACKWELL}/dense_gemm/dense_gemm.py", "--mnkl 256,256,128,1", "PASS"),
        (f"{BLACKWELL}/dense_gemm/dense_gemm_persistent.py",
         "--mnkl 256,256,128,1 --use_2cta_instrs --cluster_shape_mn 2,1 --use_tma_store", "PASS"),
        (f"{BLACKWELL}/dense_gemm/dense_gemm_software_pipeline.py", "--mnkl 128,128,128,1", "PASS"),
        (f"{BLACKWELL}/blockscaled_gemm/dense_blockscaled_gemm_persistent.py", "--mnkl 256,128,256,1", "PASS"),
        (f"{BLACKWELL}/blockwise_gemm/blockwise_gemm.py", "--mnkl 256,256,256,1", "PASS"),
        (f"{BLACKWELL}/grouped_gemm/grouped_gemm.py",
         "--num_groups 2 --problem_sizes_mnkl '(128,128,128,1),(256,128,64,1)'", "PASS"),
        (f"{BLACKWELL}/mixed_input_gemm/mixed_input_gemm.py", "", "PASS"),
        (f"{BLACKWELL}/rmsnorm/rmsnorm.py", "--M 16 --N 1024", "PASS"),
        (f"{BLACKWELL}/attention/fmha/fmha.py",
         "--q_shape 1,256,1,64 --k_shape 1,256,1,64 --warmup_iterations 0 --iterations 1", "PASS"),
        ("cute/blackwell/tutorial/tutorial_gemm/fp16_gemm_0.py", "--mnk 128,256,128", "PASS"),
        ("cute/blackwell/tutorial/tutorial_tma/tma_v0.py", "--M 128 --N 128 --num_warmup 0 --num_iters 1", "PASSED"),
    ],
}


def cases():
    for capability, examples in EXAMPLES.items():
        for path, arguments, says in examples:
            name = "-".join(filter(None, [os.path.basename(path).removesuffix(".py"), arguments]))
            yield pytest.param(capability, path, arguments, says, id=f"{capability}-{name}")


@pytest.mark.parametrize("capability,path,arguments,says", cases())
def test_example(capability, path, arguments, says, checkout, work, seconds, monkeypatch):
    folder = checkout / FOLDER
    # The examples compile for the device that there is, and refuse others.
    monkeypatch.setenv("HEDDLE_COMPUTE_CAPABILITY", capability)
    monkeypatch.setenv("PYTHONPATH", f"{os.environ.get('PYTHONPATH', '')}:{folder}")
    ran = cuda_projects.finish([sys.executable, folder / path, *shlex.split(arguments)], work, seconds)
    said = ran.stdout.strip().splitlines() or [""]
    assert ran.returncode == 0, f"exit status {ran.returncode}: {said[-1]}"
    assert says in said[-1], said[-1]
