"""Rows of a matrix that depend on the row before, from its other end: the whole grid waits for each."""
import numpy
from numba import cuda


@cuda.jit
def rows(matrix):
    column, last = cuda.grid(1), matrix.shape[1] - 1
    grid = cuda.cg.this_grid()
    for row in range(1, matrix.shape[0]):
        matrix[row, column] = matrix[row - 1, last - column] + row
        grid.sync()


def main():
    matrix = numpy.zeros((12, 8 * 64), dtype=numpy.int32)
    matrix[0] = numpy.arange(matrix.shape[1])
    expected = matrix.copy()
    for row in range(1, expected.shape[0]):
        expected[row] = expected[row - 1, ::-1] + row
    rows[8, 64](matrix)
    is_right = bool((matrix == expected).all())
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    raise SystemExit(main())
