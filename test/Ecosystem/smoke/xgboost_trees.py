"""Trees that XGBoost grows on the device and on the host from the same rows."""
import sys

import numpy
import xgboost

ROWS, COLUMNS, ROUNDS = 2000, 10, 10


def main():
    random = numpy.random.default_rng(0)
    x = random.random((ROWS, COLUMNS), numpy.float32)
    y = 3 * x[:, 0] + numpy.sin(6 * x[:, 1]) + x[:, 2] * x[:, 3]
    data = xgboost.DMatrix(x, label=y)
    is_right = True
    for objective in ("reg:squarederror", "reg:absoluteerror"):
        device, host = (
            xgboost.train({"device": name, "tree_method": "hist", "max_depth": 4, "objective": objective}, data,
                          num_boost_round=ROUNDS).predict(data) for name in ("cuda", "cpu"))
        is_right &= numpy.allclose(device, host, atol=1e-3) and numpy.abs(device - y).mean() < 0.3
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
