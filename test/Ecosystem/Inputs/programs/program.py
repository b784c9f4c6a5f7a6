import pathlib
import sys
import time

# What each framework lists, and what names it the case to run.
LISTS = {
    "catch2": '"sums" of [a, b] - 1\nends\n',
    "googletest": "Suite.\n  sums\nTyped/0.  # TypeParam = int\n  skips\n  wrong  # GetParam() = 1\n",
    "thrust": "[WARNING] Test name is there already\nsums\nsums<int, 2>\n",
}
name, argument = pathlib.Path(sys.argv[0]).name, sys.argv[-1]
if name == "mute":
    sys.exit("no device")
if "list" in sys.argv[1]:
    print(LISTS[name], end="")
elif argument in (r"\"sums\" of \[a\, b\] - 1", "--gtest_filter=Suite.sums", "sums", "sums<int, 2>"):
    print("it is right")
elif argument == "--gtest_filter=Typed/0.skips":
    print("[  SKIPPED ] 1 test, listed below:")
elif argument == "ends":
    time.sleep(600)
else:
    print("error: 1 is not 2")
    sys.exit(1)
