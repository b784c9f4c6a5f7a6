"""States of a circuit that Qiskit Aer computes on the device and on the host."""
import sys

import numpy
from qiskit import QuantumCircuit, transpile
from qiskit_aer import AerSimulator

QUBITS = 10


def state(device, precision):
    circuit = QuantumCircuit(QUBITS)
    for qubit in range(QUBITS):
        circuit.h(qubit)
        circuit.rx(0.1 * qubit, qubit)
    for qubit in range(QUBITS - 1):
        circuit.cx(qubit, qubit + 1)
        circuit.rz(0.3 * qubit, qubit)
    circuit.swap(0, QUBITS - 1)
    circuit.ccx(0, 1, 2)
    circuit.save_statevector()
    simulator = AerSimulator(method="statevector", device=device, precision=precision)
    return numpy.asarray(simulator.run(transpile(circuit, simulator)).result().get_statevector())


def main():
    is_right = all(numpy.abs(state("GPU", precision) - state("CPU", "double")).max() < error
                   for precision, error in (("double", 1e-12), ("single", 1e-5)))
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
