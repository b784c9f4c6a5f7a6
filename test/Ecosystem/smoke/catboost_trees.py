"""Trees that CatBoost grows on the device: numbers and categories; its host's algorithm is another one."""
import sys

import catboost
import numpy

ROWS, COLUMNS = 1000, 8


def main():
    random = numpy.random.default_rng(0)
    x = random.random((ROWS, COLUMNS))
    y = 3 * x[:, 0] + numpy.sin(6 * x[:, 1])
    errors = {}
    for processor in ("CPU", "GPU"):
        model = catboost.CatBoostRegressor(iterations=20, depth=4, learning_rate=0.3, task_type=processor,
                                           random_seed=1, verbose=False, allow_writing_files=False)
        errors[processor] = numpy.abs(model.fit(x, y).predict(x) - y).mean()
    # The host predicts with trees of either.
    is_right = errors["GPU"] < 1.5 * errors["CPU"] < 0.2
    print("PASS" if is_right else f"FAIL {errors}")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
