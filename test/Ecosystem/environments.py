"""Virtual environments, sources and builds that a project's tests run in."""
import dataclasses
import pathlib
import shutil
import subprocess
import sys


class Unavailable(Exception):
    """What a project needs cannot be had; the text says what, and why."""


@dataclasses.dataclass
class Environment:
    """Where a project's tests are, and the Python that runs them."""

    python: pathlib.Path
    tests: pathlib.Path
    checkout: pathlib.Path | None = None  # of a project whose tests are in this folder
    libraries: dict = dataclasses.field(default_factory=dict)  # further sources that its programs need, by name


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


def fetch_checkout(source, python, folder):
    """Brings the sources of a repository at a tag or a commit, or of a package of the registry."""
    if "package" in source:
        run(str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
            "--dest", str(folder), source["package"])
        archive = next(folder.glob("*.tar.gz"))
        shutil.unpack_archive(archive, folder)
        archive.unlink()
        return
    run("git", "init", "--quiet", str(folder))
    run("git", "-C", str(folder), "fetch", "--quiet", "--depth", "1", source["repository"],
        source.get("tag") or source["commit"])
    run("git", "-C", str(folder), "checkout", "--quiet", "FETCH_HEAD")


def sources_of(name, source, python, folder, given):
    """The sources of a project or of a library, where they are given or else fetched."""
    if name in given:
        return given[name]
    version = source.get("tag") or source.get("commit") or source["package"].partition("==")[2]
    path = folder / f"{name}-{version}"
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        fetch_checkout(source, python, unfinished)
        unfinished.rename(path)
    return next(path.glob(source["folder"])) if "folder" in source else path


def checkout_of(project, python, folder, given):
    """The project's sources, of the version that belongs to its packages."""
    return sources_of(project["name"], project["suite"]["checkout"], python, folder, given)


def packages_of(python):
    """The folder of an environment's packages."""
    return run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()


def build(project, environment, work, launcher, tell):
    """Builds with CMake what the project's tests run, where that is to be done. A
    linker looks for the driver's library, which is where the launcher says. Options
    may name {packages}, the folder of the environment's packages, and {ecosystem}, this one."""
    recipe = project.get("suite", {}).get("cmake")
    if not recipe:
        return
    binaries = environment.python.parent
    folder = work / "build"
    folder.mkdir(parents=True, exist_ok=True)
    tell(f"  building {', '.join(recipe['targets'])} in {folder}")
    places = {"packages": packages_of(environment.python), "ecosystem": str(pathlib.Path(__file__).resolve().parent)}
    options = [option.format(**places) for option in recipe["options"]]
    run(str(binaries / "cmake"), "-S", str(environment.checkout), "-B", str(folder), "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={binaries / 'ninja'}", *options)
    run(*launcher, str(binaries / "cmake"), "--build", str(folder), "--target", *recipe["targets"])


def prepare(project, folder, given):
    """Makes what the project's tests need; Unavailable if that cannot be. Sources that
    are there already are given by the names of their projects and libraries."""
    folder.mkdir(parents=True, exist_ok=True)
    python = make_python(project, folder)
    suite = project.get("suite")
    if not suite:
        return Environment(python, folder)
    if "ours" in suite:
        checkout = checkout_of(project, python, folder, given) if "checkout" in suite else None
        libraries = {name: sources_of(name, source, python, folder, given)
                     for name, source in suite.get("libraries", {}).items()}
        return Environment(python, pathlib.Path(__file__).resolve().parent, checkout, libraries)
    if "checkout" in suite:
        return Environment(python, checkout_of(project, python, folder, given) / suite["folder"])
    where = run(str(python), "-c", "import importlib.util as u; print(u.find_spec("
                f"{suite['package']!r}).submodule_search_locations[0])")
    return Environment(python, pathlib.Path(where.strip()) / suite["folder"])
