"""Runs a project's tests, each module in processes of its own, under ptx-env."""
import collections
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import time

FOLDER = pathlib.Path(__file__).resolve().parent
# A module whose process dies goes on in a new one behind the test that it died in.
MOST_PROCESSES = 40


def run_limited(command, folder, log, seconds):
    """Runs a command and its children for at most so many seconds; None if they
    were stopped then, else the exit status."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def read_record(path):
    """The outcomes by test, and the test that had begun without an end."""
    outcomes, open_test = {}, None
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if "begins" in entry:
                open_test = entry["begins"]
            elif "test" in entry:
                # What tears a test down may fail after it has passed.
                outcomes[entry["test"]] = entry
                open_test = None
    return outcomes, open_test


def record_of(project, module, options):
    return options.state / project["name"] / (module.replace("/", "__") + options.suffix)


def run_module(project, module, environment, options):
    """Runs one module and returns the outcomes of its tests."""
    suite = project["suite"]
    record = record_of(project, module, options)
    record.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    command = [*options.launcher, str(environment.python), str(FOLDER / "run_module.py"),
               str(record), suite.get("share", "1/1"), suite.get("imported_as", "-"), module,
               f"--timeout={suite['seconds_a_test']}", "--timeout-method=thread",
               *suite.get("arguments", [])]
    if environment.checkout:
        command += ["-p", "cuda_projects", f"--checkout={environment.checkout}",
                    f"--work={options.state / project['name'] / 'programs'}",
                    *(f"--library={name}={folder}" for name, folder in environment.libraries.items())]
    end = time.monotonic() + suite["seconds_a_module"]
    with open(record.with_suffix(".log"), "w", encoding="utf-8") as log:
        for _ in range(MOST_PROCESSES):
            before, _ = read_record(record)
            status = run_limited(command, environment.tests, log,
                                 max(1, end - time.monotonic()))
            outcomes, died_in = read_record(record)
            if died_in is not None:
                died = "timed out" if status in (None, 1) else "crashed"
                with open(record, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"test": died_in, "outcome": died, "seconds": 0,
                                           "message": f"exit status {status}"}) + "\n")
                outcomes, _ = read_record(record)
            if status is None or len(outcomes) == len(before):
                break
            if died_in is None and not log_says_stopped(record):
                break
    if status is None and died_in is None:
        outcomes[module] = {"test": module, "outcome": "timed out", "seconds": 0,
                            "message": "before its first test"}
    return outcomes


def log_says_stopped(record):
    """Whether the last process ended since the device was in an error."""
    last = record.read_text(encoding="utf-8").splitlines()[-1:]
    return bool(last) and "device" in json.loads(last[0])


def modules_of(project, environment):
    """The modules of a suite, relative to the folder that pytest starts in."""
    suite = project["suite"]
    left_out = {path for pattern in suite.get("without", [])
                for path in environment.tests.glob(pattern)}
    found = [path for pattern in suite["modules"]
             for path in sorted(environment.tests.glob(pattern)) if path not in left_out]
    return [str(path.relative_to(environment.tests)) for path in dict.fromkeys(found)]


def run_suite(project, environment, options):
    """Runs all modules; returns their number, the outcomes and the time."""
    modules = modules_of(project, environment)
    if options.match:
        modules = [module for module in modules if options.match.search(module)]
    start = time.monotonic()
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run_module, project, module, environment, options)
                for module in modules]
        for module, run in zip(modules, runs):
            found = run.result()
            outcomes.update(found)
            counts = collections.Counter(entry["outcome"] for entry in found.values())
            options.tell(f"  {module}: " + ", ".join(
                f"{count} {name}" for name, count in sorted(counts.items())))
    return len(modules), outcomes, time.monotonic() - start


def read_suite(project, environment, options):
    """What run_suite gives, of the modules that have run."""
    records = [record_of(project, module, options) for module in modules_of(project, environment)]
    records = [record for record in records if record.with_suffix(".log").exists()]
    outcomes = {}
    for record in records:
        outcomes.update(read_record(record)[0])
    return len(records), outcomes, sum(entry["seconds"] for entry in outcomes.values())


def run_smoke(project, environment, options):
    """Runs the smoke test, which has to pass, and to notice launches that do
    nothing; returns what is wrong, or nothing."""
    script = options.source / project["smoke"]
    def run(*extra):
        log = options.state / project["name"] / "smoke.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "w", encoding="utf-8") as file:
            status = run_limited([*options.launcher, *extra, str(environment.python),
                                  str(script)], options.source, file, 300)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return status, lines[-1] if lines else ""
    status, last = run()
    if status is None:
        return "no end within 300 s"
    if status:
        return last[:200] or f"exit status {status}"
    return "" if run("--skip-launches")[0] else "passes with launches that do nothing"
