"""What operators compute, by NumPy in double precision: one function for each kind.

A function takes the operator and its inputs as flat arrays by the names of their buffers, and
gives the outputs in the same way.
"""
from . import attention, experts, images, matrix, norms, pointwise, tokens, training

REFERENCES = {
    **attention.REFERENCES,
    **experts.REFERENCES,
    **images.REFERENCES,
    **matrix.REFERENCES,
    **norms.REFERENCES,
    **pointwise.REFERENCES,
    **tokens.REFERENCES,
    **training.REFERENCES,
}
