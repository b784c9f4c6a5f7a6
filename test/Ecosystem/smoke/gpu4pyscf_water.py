"""Energies of water that GPU4PySCF computes, against PySCF on the host."""
import sys

import numpy
from gpu4pyscf import scf as device_scf
from pyscf import gto, scf

WATER = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"


def energies(methods):
    molecule = gto.M(atom=WATER, basis="sto-3g", verbose=0)
    ion = gto.M(atom=WATER, basis="sto-3g", verbose=0, charge=1, spin=1)
    return [methods.RHF(molecule).kernel(), methods.UHF(ion).kernel()]


def main():
    is_right = numpy.allclose(energies(device_scf), energies(scf), atol=1e-7)
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
