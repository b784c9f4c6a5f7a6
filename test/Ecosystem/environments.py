"""Virtual environments and checkouts that a project's tests run in."""
import dataclasses
import pathlib
import subprocess
import sys


class Unavailable(Exception):
    """What a project needs cannot be had; the text says what, and why."""


@dataclasses.dataclass
class Environment:
    """Where a project's tests are, and the Python that runs them."""

    python: pathlib.Path
    tests: pathlib.Path


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        name = " ".join(str(word) for word in command[:4])
        raise Unavailable(f"{name}: {lines[-1] if lines else done.returncode}")
    return done.stdout


def make_python(project, folder):
    """The Python of the project's environment, made anew if the packages differ."""
    home = folder / project["name"]
    python, wanted = home / "bin" / "python", "\n".join(project["packages"])
    installed = home / "packages.txt"
    if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
        run(sys.executable, "-m", "venv", "--clear", str(home))
        run(str(python), "-m", "pip", "install", "--quiet", *project["packages"])
        installed.write_text(wanted, encoding="utf-8")
    return python


def checkout_of(project, folder, given):
    """The project's sources at the tag that belongs to its packages."""
    source = project["suite"]["checkout"]
    if given:
        return given
    path = folder / f"{project['name']}-{source['tag']}"
    if not path.exists():
        run("git", "clone", "--quiet", "--depth", "1", "--branch", source["tag"],
            source["repository"], str(path))
    return path


def prepare(project, folder, given):
    """Makes what the project's tests need; Unavailable if that cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    python = make_python(project, folder)
    suite = project.get("suite")
    if not suite:
        return Environment(python, folder)
    if "ours" in suite:
        return Environment(python, pathlib.Path(__file__).resolve().parent)
    if "checkout" in suite:
        return Environment(python, checkout_of(project, folder, given) / suite["folder"])
    where = run(str(python), "-c", "import importlib.util as u; print(u.find_spec("
                f"{suite['package']!r}).submodule_search_locations[0])")
    return Environment(python, pathlib.Path(where.strip()) / suite["folder"])
