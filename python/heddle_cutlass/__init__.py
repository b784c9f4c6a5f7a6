"""Gives kernels of CUTLASS's DSL to the driver as PTX.

The compiler of the DSL has NVIDIA's assembler within, and puts what that makes, machine
code for NVIDIA's GPUs, into the program for the host that loads and launches the kernel.
It writes the PTX to a file if it is asked to. `serve()` has each compilation ask, and puts
that PTX in the place of the machine code, which every driver loads.
"""
from heddle_cutlass.compiler import serve

__all__ = ["serve"]
