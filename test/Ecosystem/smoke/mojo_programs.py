"""The program beside this file, whose kernels Mojo compiles to PTX itself; it checks its own results."""
import pathlib
import subprocess
import sys


def main():
    mojo = pathlib.Path(sys.executable).with_name("mojo")
    program = pathlib.Path(__file__).with_suffix(".mojo")
    return subprocess.run([str(mojo), "run", "--disable-warnings", str(program)], check=False).returncode != 0


if __name__ == "__main__":
    sys.exit(main())
