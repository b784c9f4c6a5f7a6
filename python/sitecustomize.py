"""What Python imports when it starts, under ptx-env: serves packages that call nobody when they are imported.

Python imports one module of this name, the first that it finds. The next one, of a distribution or an administrator,
is run from here.
"""
import importlib.machinery
import os
import sys
import types


def run_next():
    """The module of this name that Python would have imported without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    rest = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec(__name__, rest)
    if spec and spec.loader:
        module = types.ModuleType(__name__)
        module.__file__, module.__spec__ = spec.origin, spec
        spec.loader.exec_module(module)


class Served(importlib.machinery.PathFinder):
    """Finds modules that are to be served as others are found, and serves them once they are imported."""
    SERVERS = {"cutlass.base_dsl.compiler": "heddle_cutlass", "triton.testing": "heddle_triton"}

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname not in cls.SERVERS:
            return None
        spec = super().find_spec(fullname, path, target)
        if spec and spec.loader:
            run = spec.loader.exec_module

            def run_and_serve(module):
                run(module)
                __import__(cls.SERVERS[fullname]).serve(module)

            spec.loader.exec_module = run_and_serve
        return spec


sys.meta_path.insert(0, Served)
run_next()
