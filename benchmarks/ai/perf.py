"""What is used of heddle_perf of this tree."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

# pylint: disable=wrong-import-position
from heddle_perf import store  # noqa: E402
from heddle_perf.tools import Tools  # noqa: E402

__all__ = ["Tools", "store"]
