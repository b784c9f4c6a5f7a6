"""llama.cpp's test of whole models: a small one of each architecture, with random
weights, says the same words on the device as on the host, and the same again when it
has been written and read."""
import re

import cuda_projects
import pytest


def pytest_generate_tests(metafunc):
    """A test for each architecture that the sources name."""
    source = metafunc.config.getoption("--checkout") / "src" / "llama-arch.cpp"
    names = re.findall(r"\{ *LLM_ARCH_\w+, *\"([^\"(]+)\" *\}", source.read_text(encoding="utf-8"))
    metafunc.parametrize("name", names)


def test_model(name, work):
    folder = work / "build" / "bin"
    said = cuda_projects.run([folder / "test-llama-archs", "-b", "CUDA0", "-a", f"^{re.escape(name)}$"], folder)
    assert "FAIL" not in said, said[-500:]
    if "no tests executed" in said:
        pytest.skip("llama.cpp leaves it out")
