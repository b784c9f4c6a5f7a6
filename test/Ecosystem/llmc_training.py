"""llm.c's own tests of training: logits, gradients of all parameters and ten losses
against PyTorch on the host, and the same losses again behind a checkpoint. The
model is GPT-2's architecture, small, with random weights; llm.c's own Python makes
its files. The losses that the tests expect are those of that model."""
import importlib.util
import re
import shutil

import cuda_projects
import numpy
import pytest
import torch

# A block of 1,024 threads reads eight words at a time: its loop has no end with less, and words behind the last
# eight are right if there is one, as in GPT-2's 50,257.
BATCHES, LENGTH, WORDS = 2, 64, 8201
STEPS = 10
# What the programs pass to their optimizer: the second beta and the decay of weights.
OPTIMIZERS = {"test_gpt2_fp32": (0.999, 0.01), "test_gpt2": (0.95, 0.0)}
PRECISIONS = {"test_gpt2_fp32": [], "test_gpt2": ["-DENABLE_FP32", "-DENABLE_BF16"]}


def padded(words, multiple=128, value=0):
    """A matrix of words with as many rows as the device's programs want."""
    return torch.nn.functional.pad(words, (0, 0, 0, -len(words) % multiple), value=value)


@pytest.fixture(scope="session")
def reference(checkout):
    """llm.c's model in PyTorch."""
    spec = importlib.util.spec_from_file_location("train_gpt2", checkout / "train_gpt2.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.print0 = lambda *_: None
    module.pad_vocab = padded  # its own takes GPT-2's vocabulary alone
    return module


def make_model(reference):
    torch.manual_seed(0)
    return reference.GPT(reference.GPTConfig(block_size=LENGTH, vocab_size=WORDS, n_layer=2, n_head=4, n_embd=256))


def parts(text):
    """The words that the model reads, and those that it has to say."""
    return text[:, :-1].contiguous(), text[:, 1:].contiguous()


def expected_losses(reference, text, beta, decay, clipped):
    """What the host's training says in each step."""
    model = make_model(reference)
    optimizer = torch.optim.AdamW([
        {"params": [p for p in model.parameters() if p.dim() >= 2], "weight_decay": decay},
        {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0}],
        lr=1e-4, betas=(0.9, beta), eps=1e-8)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        _, loss = model(*parts(text))
        loss.backward()
        if clipped:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def write_files(reference, text, folder):
    """The weights, what the first step gives, and a text to go on with."""
    model = make_model(reference)
    logits, loss = model(*parts(text))
    loss.backward()
    for name, kind in (("gpt2_124M.bin", "float32"), ("gpt2_124M_bf16.bin", "bfloat16")):
        reference.write_model(model, str(folder / name), kind)
    reference.write_state(model, *parts(text), logits, loss, str(folder / "gpt2_124M_debug_state.bin"))
    count = 64 * BATCHES * LENGTH
    header = numpy.zeros(256, dtype=numpy.int32)
    header[:3] = 20240520, 1, count
    data = folder / "dev" / "data" / "tinyshakespeare" / "tiny_shakespeare_val.bin"
    data.parent.mkdir(parents=True, exist_ok=True)
    words = numpy.random.default_rng(0).integers(0, WORDS, count).astype(numpy.uint16)
    data.write_bytes(header.tobytes() + words.tobytes())


def name_before_13(header):
    """Says with the type of CUDA 13 where memory should be that the device has no room for."""
    text = header.read_text(encoding="utf-8")
    header.write_text(text.replace(", cudaCpuDeviceId)", ", cudaMemLocation{cudaMemLocationTypeHost, 0})"),
                      encoding="utf-8")


@pytest.mark.parametrize("program,precision", [(program, precision) for program, flags in PRECISIONS.items()
                                               for precision in flags or [""]])
def test_training(program, precision, reference, checkout, work):
    folder = work / (program + precision)
    if not folder.exists():
        shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(".git"))
    text = torch.randint(0, WORDS, (BATCHES, LENGTH + 1), generator=torch.Generator().manual_seed(1))
    write_files(reference, text, folder)
    beta, decay = OPTIMIZERS[program]
    losses = expected_losses(reference, text, beta, decay, clipped=program == "test_gpt2")
    assert losses[-1] < losses[0]
    source = folder / f"{program}.cu"
    wanted = ", ".join(f"{loss:.6f}f" for loss in losses)
    changed, count = re.subn(r"(expected_losses\[10\] = \{)[^}]*", rf"\g<1>{wanted}",
                             (checkout / source.name).read_text(encoding="utf-8"))
    assert count == 1
    source.write_text(changed, encoding="utf-8")
    name_before_13(folder / "llmc" / "cuda_utils.cuh")
    binary = cuda_projects.compile_cuda([source], folder / "test", *filter(None, [precision]),
                                        libraries=("cublas", "cublasLt"))
    said = cuda_projects.run([binary], folder, accept=(0, 1))
    assert "overall okay: 1" in said and "TENSOR NOT OK" not in said, cuda_projects.complaint_of(said)
