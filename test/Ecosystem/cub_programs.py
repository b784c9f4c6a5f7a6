"""CUB's tests: so many of its programs (--programs), spread over the alphabet, each in one
of its variants, chosen by a hash, and of each so many cases (--cases). Left out are
sources that are not to compile and those without Catch2."""
import functools
import zlib

import cccl_programs
import unit_programs

# The variant of a test whose kernels call CUB, which launches further kernels.
LAUNCHES_ON_DEVICE = "lid_1"


def build(builder, name, source, labels, definitions):
    flags = [f"-I{builder.cccl / 'cub' / 'test'}", *definitions, "--extended-lambda", "-lcuda", "-lnvrtc"]
    if LAUNCHES_ON_DEVICE in labels:
        flags += ["-rdc=true", "-lcudadevrt", "-DCUB_RDC_ENABLED"]
    if source.name == "catch2_test_iterator.cu":
        flags.append("-ftemplate-depth=1000")
    objects = [*builder.c2h_objects(), builder.catch2_object("-DCATCH_AMALGAMATED_CUSTOM_MAIN")]
    return builder.program(name, source, *flags, *objects)


def programs_of(config):
    """Programs with their names and frameworks, as unit_programs wants them."""
    folder = config.getoption("--checkout") / "cub" / "test"
    # What is compiled while it runs wants the folders of CMake's build.
    sources = [source for source in sorted(folder.rglob("catch2_test_*.cu")) if "nvrtc" not in source.name]
    builder = cccl_programs.Builder(config)
    for source in unit_programs.spread(sources, config.getoption("--programs")):
        variants = cccl_programs.variants_of(source)
        variant = variants[zlib.crc32(source.name.encode()) % len(variants)]
        labels, definitions = zip(*variant) if variant else ((), ())
        name = ".".join([source.stem.removeprefix("catch2_test_"), *labels])
        yield name, functools.partial(build, builder, name, source, labels, definitions), "catch2"


def pytest_generate_tests(metafunc):
    unit_programs.parametrize(metafunc, programs_of(metafunc.config))


def test_case(framework, binary, case, seconds):
    unit_programs.check(framework, binary, case, seconds)
