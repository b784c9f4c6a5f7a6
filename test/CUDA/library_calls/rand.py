"""Calls of cuRAND: what its generators give has to have the distribution that was asked for, and where the algorithm
is known to be the sequence of it."""
import numpy as np
import scipy.stats
import scipy.stats.qmc

from . import sequences
from .cases import calls
from .device import Float, Handle, Long, Wrong

# curandRngType.
PSEUDO = {"XORWOW": 101, "MRG32K3A": 121, "MTGP32": 141, "MT19937": 142, "PHILOX4_32_10": 161}
QUASI = {"SOBOL32": 201, "SCRAMBLED_SOBOL32": 202, "SOBOL64": 203, "SCRAMBLED_SOBOL64": 204}
ALL = " ".join(PSEUDO)
COUNT = 8192
# A right generator is further off once in a million times.
LIKELIHOOD = 1e-6


def generate(device, kind, function, letter, *parameters, seed=7, order=None, dimensions=1):
    """An array of COUNT numbers of a generator."""
    call, generator = device.library("libcurand.so.*"), Handle()
    call("curandCreateGenerator", generator, {**PSEUDO, **QUASI}[kind])
    if order is not None:
        call("curandSetGeneratorOrdering", generator.cell, order)
    if kind in PSEUDO:
        call("curandSetPseudoRandomGeneratorSeed", generator.cell, Long(seed))
    else:
        call("curandSetQuasiRandomGeneratorDimensions", generator.cell, dimensions)
    made = device.zeros(letter, COUNT)
    call("curandGenerate" + function, generator.cell, made, Long(COUNT), *parameters)
    device.runtime("cudaDeviceSynchronize")
    call("curandDestroyGenerator", generator.cell)
    return made


def check(device, kind, function, letter, distribution, *parameters):
    """The distribution, by Kolmogorov and Smirnov's test; the same numbers for the same seed alone."""
    found = generate(device, kind, function, letter, *parameters).get()
    likelihood = scipy.stats.kstest(found, distribution).pvalue
    if not likelihood > LIKELIHOOD:
        raise Wrong("the distribution has the likelihood %g" % likelihood)
    if not np.array_equal(found, generate(device, kind, function, letter, *parameters).get()):
        raise Wrong("the same seed gives other numbers")
    if kind in PSEUDO and np.array_equal(found, generate(device, kind, function, letter, *parameters, seed=8).get()):
        raise Wrong("another seed gives the same numbers")


@calls("cuRAND", "GenerateUniform", ALL)
def uniform(device, kind):
    check(device, kind, "Uniform", "s", "uniform")


@calls("cuRAND", "GenerateUniformDouble", ALL)
def uniform_double(device, kind):
    check(device, kind, "UniformDouble", "d", "uniform")


@calls("cuRAND", "GenerateNormal", ALL)
def normal(device, kind):
    check(device, kind, "Normal", "s", scipy.stats.norm(1, 2).cdf, Float(1), Float(2))


@calls("cuRAND", "GenerateNormalDouble", ALL)
def normal_double(device, kind):
    check(device, kind, "NormalDouble", "d", scipy.stats.norm(1, 2).cdf, 1.0, 2.0)


@calls("cuRAND", "GenerateLogNormal", ALL)
def log_normal(device, kind):
    check(device, kind, "LogNormal", "s", scipy.stats.lognorm(0.5, scale=np.exp(0.25)).cdf, Float(0.25), Float(0.5))


@calls("cuRAND", "GeneratePoisson", ALL)
def poisson(device, kind):
    found = generate(device, kind, "Poisson", "i", 4.0).get()
    expected = scipy.stats.poisson(4).pmf(np.arange(16)) * COUNT
    counts = np.bincount(found, minlength=16)[:16]
    likelihood = scipy.stats.chi2(15).sf(((counts - expected) ** 2 / expected).sum())
    if not likelihood > LIKELIHOOD:
        raise Wrong("the distribution has the likelihood %g" % likelihood)


def check_sequence(device, kind, function, letter, dtype):
    """Of 2^n numbers of a sequence of Sobol there is one in each interval of length 2^-n."""
    numbers = device.take(generate(device, kind, function, letter).address, np.empty(COUNT, dtype))
    places = numbers // dtype(2 ** (8 * numbers.itemsize) // COUNT)
    if not np.array_equal(np.sort(places), np.arange(COUNT)):
        raise Wrong("%d of %d intervals are met" % (np.unique(places).size, COUNT))


@calls("cuRAND", "Generate, quasi-random", "SOBOL32 SCRAMBLED_SOBOL32")
def quasi(device, kind):
    check_sequence(device, kind, "", "i", np.uint32)


@calls("cuRAND", "GenerateLongLong, quasi-random", "SOBOL64 SCRAMBLED_SOBOL64")
def quasi_long(device, kind):
    check_sequence(device, kind, "LongLong", "d", np.uint64)


@calls("cuRAND", "GenerateUniformDouble, quasi-random", "SOBOL32 SCRAMBLED_SOBOL32 SOBOL64 SCRAMBLED_SOBOL64")
def quasi_uniform(device, kind):
    check(device, kind, "UniformDouble", "d", "uniform")


SEED = 0x123456789ABCDEF0
# An order that is the same on all GPUs: of 4096 threads of XORWOW and MRG32K3A each gives every 4096th number.
LEGACY = 103


@calls("cuRAND", "Generate, the algorithm's own sequence", "XORWOW MRG32K3A PHILOX4_32_10")
def sequence(device, kind):
    order = LEGACY if kind in ("XORWOW", "MRG32K3A") else None
    made = generate(device, kind, "", "i", seed=SEED, order=order)
    found = device.take(made.address, np.empty(COUNT, np.uint32))
    expected = getattr(sequences, kind.lower())(SEED, COUNT)
    if not np.array_equal(found, expected):
        raise Wrong("%d of %d numbers differ" % ((found != expected).sum(), COUNT))


@calls("cuRAND", "Generate, in eight dimensions", "SOBOL32")
def dimensions(device, kind):
    made = generate(device, kind, "", "i", dimensions=8)
    found = device.take(made.address, np.empty(COUNT, np.uint32)).reshape(8, -1)
    points = scipy.stats.qmc.Sobol(8, scramble=False, bits=32).random(found.shape[1])
    if not np.array_equal(found, (points.T * 2.0**32).astype(np.uint32)):
        raise Wrong("the points are not those of SciPy")
