# The project's own C++ and TableGen files: those that git tracks, or, outside a
# git checkout, all that are there.
import os
import subprocess

IGNORED = ("build", ".git", "Output", "Inputs", "kernels")


def list_sources(root, suffixes):
    """Paths relative to root, without the inputs of tests."""
    paths = _tracked(root)
    if paths is None:
        paths = _walked(root)
    return [
        path
        for path in sorted(paths)
        if path.endswith(suffixes)
        and not set(path.split("/")[:-1]) & set(IGNORED)
        and os.path.exists(os.path.join(root, path))
    ]


def _tracked(root):
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return listed.stdout.split("\0")[:-1] if listed.returncode == 0 else None


def _walked(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f != ".git" and not f.startswith("build")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)
