"""Profiles of what a block of a program launches.

    with heddle.profile() as p:
        ...

    p                   in a notebook: the page of the profile, or a table
    p.kernels           a pandas frame: a row for each kernel
    p.launches          a row for each launch, with all metrics
    p.instructions(0)   a row for each instruction of a launch
    p.lines(0)          the same by source line
    p.save("page.html")

It sees what this process launches through CUDA under ptx-env, from whatever package, and what a heddle.Device launches
that was made with profile=True, or in the block. The frames need pandas; kernel_rows, launch_rows, instruction_rows and
line_rows have the same as lists of dictionaries.
"""
import ctypes
import html
import json
import os
import re
import tempfile

_CYCLES = "gpc__cycles_elapsed.max"
_PART = re.compile(r'<script type="application/json" class="(\w+)"(?: data-launch="(\d+)")?>(.*?)</script>', re.DOTALL)
_STYLE = "text-align:right;padding:2px 10px;font-variant-numeric:tabular-nums"


def _cuda_library():
    """The library behind CUDA's names, which ptx-env puts on the loader's path; none elsewhere."""
    try:
        library = ctypes.CDLL("libheddle-cuda.so.1")
    except OSError:
        return None
    for name in ("heddleProfileStart", "heddleProfileStop"):
        getattr(library, name).restype = ctypes.c_char_p
    return library


def prepare():
    """Lets devices of CUDA that are opened from now on be profiled. Launches outside of a profile are not slower."""
    os.environ.setdefault("HEDDLE_PROFILING", "1")


def _frame(rows):
    try:
        import pandas
    except ImportError:
        raise ImportError("frames of a profile need pandas, which is not installed; kernel_rows, launch_rows, "
                          "instruction_rows and line_rows are lists of dictionaries and need nothing") from None
    return pandas.DataFrame(rows)


def _values(metrics):
    """Metrics by name: a report has units beside the values, a page has not."""
    return {name: metric["value"] if isinstance(metric, dict) else metric for name, metric in metrics.items()}


class Profile:
    """What was launched; complete when the block has ended."""

    def __init__(self):
        self._page = None       # of the launches of CUDA
        self._launches = []     # members as docs/profiling.md has them
        self._details = {}      # instructions by launch
        self._clock = None

    # What the recorders add.

    def _add_page(self, page):
        self._page = page
        for kind, launch, text in _PART.findall(page):
            part = json.loads(text)
            if kind == "head":
                self._clock = part["chip_figures"]["clock_mhz"]
            elif kind == "launch":
                self._launches.append(part)
            elif kind == "detail":
                self._details[int(launch)] = part["instructions"]

    def _add_launch(self, launch):
        """Of a heddle.Device."""
        self._details[len(self._launches)] = launch["profile"]["instructions"]
        self._launches.append(launch)

    # Rows.

    @property
    def launch_rows(self):
        rows = []
        for index, launch in enumerate(self._launches):
            metrics = _values(launch.get("metrics", {}))
            row = {"launch": index, "kernel": launch.get("demangled", launch["kernel"]),
                   "grid": tuple(launch.get("grid", ())), "block": tuple(launch.get("block", ())),
                   "cycles": metrics.get(_CYCLES, 0), "microseconds": metrics.get("gpu__time_duration.sum", 0)}
            rows.append({**row, **metrics})
        # What is zero is not in a page.
        names = {name for row in rows for name in row}
        return [{**row, **{name: 0 for name in names - row.keys()}} for row in rows]

    @property
    def kernel_rows(self):
        kernels = {}
        for launch in self.launch_rows:
            row = kernels.setdefault(launch["kernel"], {"kernel": launch["kernel"], "launches": 0, "cycles": 0, "microseconds": 0})
            row["launches"] += 1
            row["cycles"] += launch["cycles"]
            row["microseconds"] += launch["microseconds"]
        total = sum(row["cycles"] for row in kernels.values())
        for row in kernels.values():
            row["part"] = row["cycles"] / total if total else 0
        return sorted(kernels.values(), key=lambda row: -row["cycles"])

    def instruction_rows(self, launch=0):
        if not -len(self._launches) <= launch < len(self._launches):
            raise IndexError("there are %d launches" % len(self._launches))
        launch %= len(self._launches)
        rows = []
        for instruction in self._details.get(launch, self._of_same_kernel(launch)):
            states = instruction.get("states", {})
            rows.append({"section": instruction.get("section", ""), "pc": instruction.get("pc", 0),
                         "text": instruction.get("text", instruction.get("mnemonic", "")),
                         "file": instruction.get("file", ""), "line": instruction.get("line", 0),
                         "ptx_line": instruction.get("ptx_line", 0), "issued": instruction.get("issued", 0),
                         "warp_cycles": sum(states.values()), **states})
        names = {name for row in rows for name in row}
        return [{**row, **{name: 0 for name in names - row.keys()}} for row in rows]

    def _of_same_kernel(self, launch):
        """Launches that do not differ have the instructions of a slower one of their kernel."""
        same = [index for index in self._details if self._launches[index]["kernel"] == self._launches[launch]["kernel"]]
        slowest = max(same, key=lambda index: _values(self._launches[index].get("metrics", {})).get(_CYCLES, 0), default=None)
        return [] if slowest is None else self._details[slowest]

    def line_rows(self, launch=0):
        lines = {}
        for instruction in self.instruction_rows(launch):
            place = instruction["file"], instruction["line"]
            row = lines.setdefault(place, {"file": place[0], "line": place[1]})
            for name, value in instruction.items():
                if isinstance(value, (int, float)) and name not in ("pc", "line", "ptx_line"):
                    row[name] = row.get(name, 0) + value
        return sorted(lines.values(), key=lambda row: -row["warp_cycles"])

    # Frames.

    @property
    def launches(self):
        return _frame(self.launch_rows)

    @property
    def kernels(self):
        return _frame(self.kernel_rows)

    def instructions(self, launch=0):
        return _frame(self.instruction_rows(launch))

    def lines(self, launch=0):
        return _frame(self.line_rows(launch))

    # For people.

    def __len__(self):
        return len(self._launches)

    def __repr__(self):
        rows = ["%12d cycles %6.1f %%  %5d  %s" % (row["cycles"], 100 * row["part"], row["launches"], row["kernel"]) for row in self.kernel_rows]
        counts = ["%d %s%s" % (count, what, end if count != 1 else "") for count, what, end in ((len(self), "launch", "es"), (len(rows), "kernel", "s"))]
        return "\n".join(["heddle profile: %s of %s" % tuple(counts), *rows])

    def _repr_html_(self):
        if self._page:
            return ('<iframe srcdoc="%s" style="width:100%%;height:720px;border:1px solid #8884" title="Profile"></iframe>'
                    % html.escape(self._page))
        head = "".join("<th style=\"%s\">%s</th>" % (_STYLE, title) for title in ("kernel", "launches", "cycles", "time", "of all"))
        rows = "".join('<tr><td style="text-align:left"><code>%s</code></td>%s</tr>' % (
            html.escape(row["kernel"]), "".join('<td style="%s">%s</td>' % (_STYLE, text) for text in (
                "{:,}".format(row["launches"]), "{:,.0f}".format(row["cycles"]), "{:,.2f} \u00b5s".format(row["microseconds"]), "{:.1%}".format(row["part"]))))
            for row in self.kernel_rows)
        return '<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>' % (head, rows)

    def save(self, path):
        """Writes the page of the launches of CUDA, or the table where there were none."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page or self._repr_html_())


class profile:
    """A context manager; its value is a Profile, which is complete when the block has ended."""

    active = None  # the Profile of the block that runs

    def __enter__(self):
        if profile.active is not None:
            raise RuntimeError("a profile is under way already")
        self._library, self._path, self._profile = _cuda_library(), None, Profile()
        if self._library:
            prepare()
            file, self._path = tempfile.mkstemp(suffix=".html")
            os.close(file)
            self._say(self._library.heddleProfileStart(self._path.encode()))
        profile.active = self._profile
        return self._profile

    def __exit__(self, *_):
        profile.active = None
        if not self._library:
            return
        own, self._profile._launches = self._profile._launches, []
        details, self._profile._details = self._profile._details, {}
        self._say(self._library.heddleProfileStop())
        with open(self._path, encoding="utf-8") as file:
            page = file.read()
        os.remove(self._path)
        if '<script type="application/json" class="launch">' in page:
            self._profile._add_page(page)
        first = len(self._profile._launches)
        self._profile._launches += own
        self._profile._details.update({first + index: rows for index, rows in details.items()})

    def _say(self, error):
        if error:
            os.path.exists(self._path) and os.remove(self._path)
            raise RuntimeError("heddle.profile: " + error.decode())
