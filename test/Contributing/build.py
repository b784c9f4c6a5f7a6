"""Builds what a page of docs/contributing changes, in seconds.

Ninja says how a target of the build folder is made. Of those steps only the ones
are carried out again, with their results in the copy, that make
  - tables from TableGen files, in a folder with a changed one,
  - objects from sources that are changed, new, or include a changed table or a
    changed .def themselves,
  - archives, libraries and programs from such objects.
A source that includes a changed header is left as it was built. That is what makes
it fast, and right for pages that add to headers, but do not change what is there.
"""
import filecmp
import os
import re
import shlex
import subprocess

COPIED = r"(?=/(?:include|lib|passes|isa-defs|tools|docs|test)\b)"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Builder:
    def __init__(self, source, build, copy, fail):
        self.source, self.folder, self.copy, self.fail = source, build, copy, fail
        self.out = os.path.join(copy, "build")
        # Of the build folder's results those that stand in the copy as well.
        self.made = set()
        # Objects of new sources, behind one of the same archive or program.
        self.beside = {}

    def build(self, targets, changed):
        commands = self._run(["ninja", "-t", "commands"] + targets, self.folder).splitlines()
        sources = set(changed) | self._users_of([p for p in changed if p.endswith(".def")])
        added = [path for path in changed if path.endswith(".cpp") and self._is_new(path)]
        for command in commands:
            compiled = re.search(r" -c (\S+)$", command)
            if compiled:
                self._compile(command, compiled.group(1), sources, added)
            elif re.search(r"-tblgen .*-o ", command):
                sources |= self._make_table(command, changed)
            else:
                self._link(command)

    def _run(self, command, folder):
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode:
            self.fail("%s\n%s" % (" ".join(command), done.stdout))
        return done.stdout

    def _shell(self, command):
        self._run(["bash", "-c", command], self.folder)

    def _in_copy(self, command):
        """The command with the copy's sources, and the copy's tables first."""
        # The build folder may lie in that of the sources.
        command = re.sub(re.escape(self.source) + COPIED, self.copy, command)
        command = command.replace("-I%s " % self.source, "-I%s " % self.copy)
        tables = "-I" + os.path.join(self.folder, "include")
        return command.replace(tables, "-I%s %s" % (os.path.join(self.out, "include"), tables))

    def _is_new(self, path):
        return not os.path.exists(os.path.join(self.source, path))

    def _place(self, result):
        """Where a result stands in the copy."""
        result = os.path.join(self.folder, result)
        path = os.path.join(self.out, os.path.relpath(result, self.folder))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def _users_of(self, names):
        """The sources that include a file of these names."""
        names = [re.escape(re.sub(r"^include/", "", name)) for name in names]
        if not names:
            return set()
        include = re.compile(r'^#include "(?:%s)"' % "|".join(names), re.MULTILINE)
        found = set()
        for top in ("lib", "passes", "tools"):
            for folder, _, files in os.walk(os.path.join(self.copy, top)):
                for file in files:
                    path = os.path.join(folder, file)
                    if file.endswith(".cpp") and include.search(read(path)):
                        found.add(os.path.relpath(path, self.copy))
        return found

    def _make_table(self, command, changed):
        """Makes a table; the sources that include it, if it differs."""
        folders = {os.path.dirname(path) for path in changed if path.endswith(".td")}
        if not any(re.search(r"%s/%s\b" % (re.escape(self.source), f), command) for f in folders):
            return set()
        old = re.search(r"-o (\S+)", command).group(1)
        new = self._place(old)
        self._shell(self._in_copy(command).replace("-o " + old, "-o " + new))
        if os.path.exists(old) and filecmp.cmp(old, new, shallow=False):
            return set()
        return self._users_of([os.path.relpath(old, os.path.join(self.folder, "include"))])

    def _compile(self, command, file, sources, added):
        path = os.path.relpath(file, self.source)
        if path in sources:
            self._compile_as(command, path, path)
        # A new source is compiled as those in its folder are.
        for other in [a for a in added if os.path.dirname(a) == os.path.dirname(path)]:
            added.remove(other)
            self._compile_as(command, path, other)

    def _compile_as(self, command, model, path):
        result = re.search(r" -o (\S+)", command).group(1)
        name = os.path.basename(path) + os.path.splitext(result)[1]
        mine = os.path.join(os.path.dirname(result), name)
        text = self._in_copy(command).replace(result, self._place(mine))
        end = os.path.join(self.copy, model)
        self._shell(text[: -len(end)] + os.path.join(self.copy, path))
        if path == model:
            self.made.add(mine)
        else:
            self.beside.setdefault(result, []).append(mine)

    def _link(self, command):
        """Puts archives, libraries and programs together that have a new part."""
        words = command.split()
        if not any(word in self.made or word in self.beside for word in words):
            return
        output = self._output(words)
        text = []
        for word in words:
            text.append(self._place(word) if word in self.made or word == output else word)
            text += [self._place(result) for result in self.beside.get(word, ())]
        self._shell(" ".join(text))
        self.made.add(output)

    def _output(self, words):
        if "-o" in words:
            return words[words.index("-o") + 1]
        archives = [word for word in words if word.endswith(".a")]
        if not archives:
            self.fail("what does this make? " + shlex.join(words))
        return archives[0]
