"""python -m heddle_perf."""
import sys

from .cli import main

sys.exit(main())
