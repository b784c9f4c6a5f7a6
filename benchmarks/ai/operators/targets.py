"""The targets of PTX that kernels are made for, and the chips that tiles are chosen for."""

# The cores of the chip that usually runs a target's code: hd100, hd10 and the L40S.
CORES = {"sm_90": 132, "sm_80": 16, "sm_89": 142}
# Types of elements that Triton has no operations on for a target.
LACKING = {"sm_90": (), "sm_80": ("f8e4m3",), "sm_89": ()}
