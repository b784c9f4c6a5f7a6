"""The programs of a build or an installed tree."""
import hashlib
import os
import shutil
import subprocess
from typing import Optional

TIMEOUT_SECONDS = 3600
COMPILER = "libheddle-compiler.so"


class Tools:
    def __init__(self, folder: Optional[str], seconds: int = TIMEOUT_SECONDS):
        self.folder = os.path.abspath(folder) if folder else None
        self.seconds = seconds  # that a program may take

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name) if self.folder else name

    def has(self, name: str) -> bool:
        return shutil.which(self.path(name)) is not None

    def run(
        self, name: str, *arguments: str, cwd: Optional[str] = None
    ) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.path(name), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=self.seconds,
            check=False,
            cwd=cwd,
        )

    def identity(self) -> str:
        """The digest of the programs, by which workers with the same ones are found."""
        digest = hashlib.sha256()
        for name in ("ptx-prof", "ptx-compile", "ptx-opt"):
            found = shutil.which(self.path(name))
            if not found:
                continue
            library = os.path.join(os.path.dirname(os.path.realpath(found)), "..", "lib", COMPILER)
            for path in (found, library):
                if os.path.exists(path):
                    with open(path, "rb") as file:
                        digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]

    def version(self) -> str:
        """One line; an OSError if the tools are not there."""
        lines = self.run("ptx-compile", "--version").stdout.splitlines()
        return next((line.strip() for line in lines if "eddle" in line), "unknown")
