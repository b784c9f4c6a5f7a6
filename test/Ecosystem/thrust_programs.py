"""Thrust's tests of its CUDA back end: so many of its programs (--programs), spread over
the alphabet, and of each so many cases (--cases)."""
import functools

import cccl_programs
import unit_programs

# Flags that CMake scripts beside the sources give.
OWN_FLAGS = {"address_stability": ["--extended-lambda"], "cuda.transform_iterator": ["--extended-lambda"],
             "cuda.stream_per_thread": ["--default-stream=per-thread"]}


def build(builder, name, source, framework):
    testing = builder.cccl / "thrust" / "testing"
    flags = [f"-I{testing}", "-DTHRUST_TEST_DEVICE_SIDE"]
    if framework == "catch2":
        objects = [builder.catch2_object()]
    else:
        objects = [builder.object("framework", testing / "unittest" / "testframework.cu", *flags),
                   builder.object("framework.cuda", testing / "unittest" / "cuda" / "testframework.cu", *flags)]
    return builder.program(name, source, *flags, *OWN_FLAGS.get(name, []), *objects)


def programs_of(config):
    """Programs with their names and frameworks, as unit_programs wants them."""
    testing = config.getoption("--checkout") / "thrust" / "testing"
    sources = [*testing.glob("*.cu"), *(testing / "cuda").glob("*.cu")]
    builder = cccl_programs.Builder(config)
    for source in unit_programs.spread(sorted(sources), config.getoption("--programs")):
        name = source.stem.removeprefix("catch2_test_")
        name = f"cuda.{name}" if source.parent != testing else name
        framework = "catch2" if "catch2_test_" in source.name else "thrust"
        yield name, functools.partial(build, builder, name, source, framework), framework


def pytest_generate_tests(metafunc):
    unit_programs.parametrize(metafunc, programs_of(metafunc.config))


def test_case(framework, binary, case, seconds):
    unit_programs.check(framework, binary, case, seconds)
