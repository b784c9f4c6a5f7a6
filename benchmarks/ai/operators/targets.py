"""The targets of PTX that kernels are made for, and the chips that tiles are chosen for."""

# The cores of the chip that usually runs a target's code: hd100 and hd10.
CORES = {"sm_90": 132, "sm_80": 16}
