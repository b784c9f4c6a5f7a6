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
    said = cuda_projects.run([folder / "test-llama-archs", "-a", name], folder, accept=(0, 1))
    verdicts = re.findall(r"\b(?:OK|FAIL|SKIP)\b", cuda_projects.without_colours(said))
    # Of some that it knows it says nothing more.
    assert "Model arch." in said and "FAIL" not in verdicts, said[-500:]
    if "OK" not in verdicts:
        pytest.skip("llama.cpp leaves it out")
