"""Forces on a box of particles by OpenMM's kernels, which NVRTC compiles, against its reference in double precision."""
import sys

import numpy
import openmm
from openmm import unit

SIDE = 5


def system():
    made = openmm.System()
    made.setDefaultPeriodicBoxVectors((2.5, 0, 0), (0, 2.5, 0), (0, 0, 2.5))
    forces = openmm.NonbondedForce()
    forces.setNonbondedMethod(openmm.NonbondedForce.PME)
    forces.setCutoffDistance(1)
    bonds = openmm.HarmonicBondForce()
    for index in range(SIDE ** 3):
        made.addParticle(18)
        forces.addParticle(0.4 if index % 2 else -0.4, 0.3, 0.6)
        if index % 2 and index + 1 < SIDE ** 3:
            bonds.addBond(index - 1, index, 0.45, 1000)
    made.addForce(forces)
    made.addForce(bonds)
    return made


def states(platform, properties, places):
    context = openmm.Context(system(), openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform),
                             properties)
    context.setPositions(places)
    first = context.getState(getForces=True, getEnergy=True)
    context.getIntegrator().step(10)
    last = context.getState(getPositions=True)
    return (first.getForces(asNumpy=True)._value, first.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole),
            last.getPositions(asNumpy=True)._value)


def main():
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(SIDE)] * 3), -1).reshape(-1, 3) * 0.5
    places = grid + numpy.random.default_rng(0).random(grid.shape) * 0.1
    found = states("CUDA", {"Precision": "mixed"}, places)
    expected = states("Reference", {}, places)
    size = numpy.abs(expected[0]).max()
    is_right = (numpy.abs(found[0] - expected[0]).max() < 1e-4 * size
                and numpy.isclose(found[1], expected[1], rtol=1e-4)
                and numpy.allclose(found[2], expected[2], atol=1e-5))
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
