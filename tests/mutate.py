#!/usr/bin/env python3
"""Shows that the tests notice wrong programs.

Each entry of tests/mutations/*.toml changes a few words of one file. In a copy of the tree, one
entry after the other is applied, what depends on it rebuilt, and the tests it names are run; then
the file is put back. An entry is killed when a test fails (a hang ends at a limit and counts as
killed), survives when all pass. The exit status is not 0 when fewer than 95 % are killed, when a
survivor is not explained in the table, when an entry does not build, or when a named test fails or
runs nothing without any change.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TABLES = SOURCE / "tests" / "mutations"
REQUIRED_SHARE = 0.95
LEAST_LIMIT_S = 90  # of one test command; a hang, not slowness, reaches it
RESULTS = ("killed", "timed out", "survived", "did not build")


class TableError(Exception):
    pass


class Mutation:
    """One entry of a table."""

    REQUIRED = {"path", "old", "new", "tests", "why"}

    def __init__(self, part, number, row, commands):
        self.part = part
        self.name = f"{part}-{number}"
        unknown, missing = set(row) - self.REQUIRED - {"after", "equivalent", "needs"}, self.REQUIRED - set(row)
        if unknown or missing:
            raise TableError(f"{self.name}: unknown keys {sorted(unknown)}, missing {sorted(missing)}")
        self.file, self.old, self.new = row["path"], row["old"], row["new"]
        self.after, self.why = row.get("after", ""), row["why"]
        self.equivalent, self.needs = row.get("equivalent", ""), row.get("needs", "")
        tests = [row["tests"]] if isinstance(row["tests"], str) else row["tests"]
        self.tests = [Command(commands.get(test, test)) for test in tests]

    def place(self, text):
        """Where `old` begins: it occurs once, in the whole file or from the one `after` on."""
        start = 0
        if self.after:
            if text.count(self.after) != 1:
                raise TableError(f"{self.name}: {self.file} holds {self.after!r} "
                                 f"{text.count(self.after)} times, not once")
            start = text.index(self.after)
        elif text.count(self.old) != 1:
            raise TableError(f"{self.name}: {self.file} holds {self.old!r} "
                             f"{text.count(self.old)} times, not once")
        at = text.find(self.old, start)
        if at < 0:
            raise TableError(f"{self.name}: {self.file} does not hold {self.old!r} after {self.after!r}")
        if self.old == self.new:
            raise TableError(f"{self.name}: changes nothing")
        return at

    def apply(self, text):
        at = self.place(text)
        return text[:at] + self.new + text[at + len(self.old):]

    def line(self, text):
        return text.count("\n", 0, self.place(text)) + 1


class Command:
    """A test: [VARIABLE=VALUE …] PROGRAM [GTEST FILTER | ARGUMENTS …]."""

    def __init__(self, text):
        self.text = text
        words = shlex.split(text)
        self.variables = {}
        while words and re.match(r"[A-Z_]+=", words[0]):
            key, value = words.pop(0).split("=", 1)
            self.variables[key] = value
        if not words:
            raise TableError(f"no program in {text!r}")
        self.program, self.arguments = words[0], words[1:]
        self.is_script = "/" in self.program
        if not self.is_script and self.arguments and not self.arguments[0].startswith("-"):
            self.arguments = ["--gtest_filter=" + ":".join(self.arguments), "--gtest_fail_fast"]

    def argv(self, tree):
        program = tree.root / self.program if self.is_script else tree.build / "bin" / self.program
        return [str(program), *self.arguments]


class Tree:
    """The copy that is changed, its build, and a home of its own for the tests."""

    def __init__(self, root, jobs):
        self.root, self.jobs = root, jobs
        self.build = root / "build" / "release"
        self.scratch = root / "build" / "mutate"

    def copy(self):
        """Makes the copy equal to the source; files that are equal already keep their times."""
        listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                check=True, capture_output=True).stdout.decode().split("\0")
        wanted = {name for name in listed if name and (SOURCE / name).is_file()}
        self.root.mkdir(parents=True, exist_ok=True)
        for name in wanted:
            source, target = SOURCE / name, self.root / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)  # with a new time, so that ninja sees it
            shutil.copymode(source, target)
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root)
            if path.is_file() and name.parts[0] not in ("build", ".git") and str(name) not in wanted:
                path.unlink()

    def configure(self):
        # One file a compilation, so that a change builds little; lists of tests are not needed: leaving them
        # out saves starting each program after its link.
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DFIRESIDE_TESTS=ON", "-DCMAKE_UNITY_BUILD=OFF",
                   "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"]
        # The newer compiler of shaders, if there is one here, is that of the copy too.
        compiler, own = SOURCE / "build" / "glslang", self.root / "build" / "glslang"
        if compiler.is_dir() and not own.exists():
            own.parent.mkdir(parents=True, exist_ok=True)
            own.symlink_to(compiler)
        shared = SOURCE.parent / "shared"
        if shared.is_dir():
            options.append(f"-DFIRESIDE_SHARED_DATA={shared}")
        run = subprocess.run(["cmake", "-G", "Ninja", "-S", self.root, "-B", self.build, *options],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit("configuring failed:\n" + run.stdout + run.stderr)

    def make(self, targets):
        run = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", *sorted(targets)],
                             capture_output=True, text=True, env=self.environment({}))
        return run.returncode == 0, run.stdout + run.stderr

    def environment(self, variables):
        home = self.scratch / "home"
        (home / "runtime").mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = self.scratch / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ)
        for name in ("HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS", "DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        # The compiler's cache stays where it was.
        environment.setdefault("CCACHE_DIR", ccache_folder())
        environment.update(HOME=str(home), XDG_DATA_HOME=str(home / "data"), XDG_CONFIG_HOME=str(home / "config"),
                           XDG_CACHE_HOME=str(home / "cache"), XDG_RUNTIME_DIR=str(home / "runtime"),
                           QT_QPA_PLATFORM="offscreen", TMPDIR=str(temporary), **variables)
        return environment

    def run(self, command, limit_s):
        """(exit status or None at the limit, output, seconds)"""
        started = time.monotonic()
        output = self.scratch / "output"
        with open(output, "wb") as log:
            process = subprocess.Popen(command.argv(self), cwd=self.root, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, env=self.environment(command.variables),
                                       start_new_session=True, preexec_fn=no_core_files)
            try:
                status = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                status = None
            try:  # nothing that it started lives on
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        text = output.read_bytes()[-200_000:].decode(errors="replace")
        shutil.rmtree(self.scratch / "tmp", ignore_errors=True)
        return status, text, time.monotonic() - started


def ccache_folder():
    return os.environ.get("CCACHE_DIR") or str(pathlib.Path.home() / ".cache" / "ccache")


def no_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read_tables():
    mutations = []
    for path in sorted(TABLES.glob("*.toml")):
        try:
            table = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as error:
            raise TableError(f"{path.name}: {error}") from error
        # What stands beside a file's mutations holds for each of them that does not say otherwise.
        rows = [{**{key: value for key, value in file.items() if key != "mutations"}, **row}
                for file in table["file"] for row in file["mutations"]]
        for number, row in enumerate(rows, 1):
            mutations.append(Mutation(path.stem, number, row, table.get("commands", {})))
    texts, errors, seen = {}, [], set()
    for mutation in mutations:
        path = SOURCE / mutation.file
        try:
            text = texts.setdefault(mutation.file, path.read_text())
            key = (mutation.file, mutation.place(text), mutation.new)
            if key in seen:
                raise TableError(f"{mutation.name}: stands twice")
            seen.add(key)
        except (TableError, OSError) as error:
            errors.append(str(error))
    if errors:
        sys.exit("\n".join(errors))
    return mutations


def processor_flags():
    try:
        return set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[1].split())
    except (OSError, TypeError):
        return set()


def chosen(mutations, options):
    flags = processor_flags()
    absent = [m for m in mutations if m.needs and m.needs not in flags]
    if absent:
        print(f"{len(absent)} left out: this processor lacks {', '.join(sorted({m.needs for m in absent}))}")
        mutations = [m for m in mutations if m not in absent]
    if options.only:
        wanted = re.compile(options.only)
        mutations = [m for m in mutations if wanted.search(f"{m.name} {m.file} {m.why}")]
    if options.sample and options.sample < len(mutations):
        print(f"seed {options.seed}")
        mutations = random.Random(options.seed).sample(mutations, options.sample)
    # Neighbours share programs, which are then linked less often.
    return sorted(mutations, key=lambda m: ([c.program for c in m.tests], m.part, m.file))


def targets_of(mutations):
    return {command.program for mutation in mutations for command in mutation.tests if not command.is_script}


def baseline(tree, mutations):
    """Runs each command once without a change; returns their limits."""
    built, output = tree.make(targets_of(mutations))
    if not built:
        sys.exit("does not build without a change:\n" + output[-4000:])
    limits, failed = {}, []
    for command in {c.text: c for m in mutations for c in m.tests}.values():
        status, output, seconds = tree.run(command, 1800)
        passed = re.search(r"\[  PASSED  \] (\d+) test", output)
        if status != 0:
            failed.append(f"{command.text}: fails without a change\n{output[-1500:]}")
        elif not command.is_script and (not passed or int(passed[1]) == 0):
            failed.append(f"{command.text}: ran no test, or skipped all")
        limits[command.text] = max(LEAST_LIMIT_S, 10 * seconds)
    if failed:
        sys.exit("\n".join(failed))
    return limits


def failing_test(output):
    found = re.search(r"\[  FAILED  \] (\S+)", output)
    if found:
        return found[1].rstrip(",")
    running = re.findall(r"\[ RUN      \] (\S+)", output)
    return "crash in " + running[-1] if running else "exit status"


def judge(tree, mutation, limits):
    """(result, what noticed)"""
    built, output = tree.make(targets_of([mutation]))
    if not built:
        error = next((line for line in output.splitlines() if "error" in line.lower()), output[-300:])
        return "did not build", error.strip()
    for command in mutation.tests:
        status, output, _ = tree.run(command, limits[command.text])
        if status is None:
            return "timed out", failing_test(output)
        if status != 0:
            return "killed", failing_test(output)
    return "survived", mutation.equivalent or "NOT EXPLAINED"


def attempt(tree, mutation, limits):
    path = tree.root / mutation.file
    original = path.read_text()
    try:
        path.write_text(mutation.apply(original))
        return judge(tree, mutation, limits), mutation.line(original)
    finally:
        path.write_text(original)


def summary(done):
    counts = collections.defaultdict(collections.Counter)
    for mutation, result, _ in done:
        counts[mutation.part][result] += 1
        counts["all"][result] += 1
    print(f"\n{'':12}" + "".join(f"{result:>15}" for result in RESULTS))
    for part in [*sorted(set(counts) - {"all"}), "all"]:
        print(f"{part:12}" + "".join(f"{counts[part][result]:>15}" for result in RESULTS))
    for title in ("survived", "did not build"):
        for mutation, result, detail in done:
            if result == title:
                print(f"{title}: {mutation.name} {mutation.file}: {mutation.why}\n    {detail}")
    total = len(done)
    killed = counts["all"]["killed"] + counts["all"]["timed out"]
    print(f"{killed} of {total} killed: {100 * killed / max(1, total):.1f} %")
    unexplained = sum(result == "survived" and not mutation.equivalent for mutation, result, _ in done)
    return killed >= REQUIRED_SHARE * total and unexplained == 0 and counts["all"]["did not build"] == 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sample", type=int, metavar="N", help="only N entries, drawn")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of --sample")
    parser.add_argument("--only", metavar="REGEX", help="entries whose name, file or reason matches")
    parser.add_argument("--list", action="store_true", help="print the entries and stop")
    parser.add_argument("--check", action="store_true", help="only check that each entry fits its file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    parser.add_argument("--work", type=pathlib.Path, metavar="DIR",
                        help="where the copy goes; kept, so that the next run builds less")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="also append JSON lines to FILE")
    return parser.parse_args()


def run_all(tree, mutations, options):
    tree.copy()
    tree.configure()
    print(f"{len(mutations)} mutations; building and running their tests without a change", flush=True)
    limits = baseline(tree, mutations)
    done = []
    for number, mutation in enumerate(mutations, 1):
        started = time.monotonic()
        (result, detail), line = attempt(tree, mutation, limits)
        done.append((mutation, result, detail))
        print(f"{number:4} {result:13} {time.monotonic() - started:6.1f} s  {mutation.name:14} "
              f"{mutation.file}:{line}: {mutation.why}\n{'':30}{detail}", flush=True)
        if options.results:
            with open(options.results, "a") as file:
                file.write(json.dumps({"name": mutation.name, "file": mutation.file, "old": mutation.old,
                                       "new": mutation.new, "why": mutation.why, "result": result,
                                       "detail": detail}) + "\n")
    return summary(done)


def main():
    options = parse_arguments()
    try:
        mutations = read_tables()
    except TableError as error:
        sys.exit(str(error))
    mutations = chosen(mutations, options)
    if options.check:
        print(f"{len(mutations)} mutations fit their files")
    elif options.list:
        for m in mutations:
            print(f"{m.name:14} {m.file}: {m.why}\n{'':15}{m.old!r} -> {m.new!r}\n"
                  f"{'':15}{'; '.join(c.text for c in m.tests)}")
    elif options.work:
        sys.exit(0 if run_all(Tree(options.work.resolve(), options.jobs), mutations, options) else 1)
    else:
        with tempfile.TemporaryDirectory(prefix="fireside-mutate-") as folder:
            passed = run_all(Tree(pathlib.Path(folder), options.jobs), mutations, options)
        sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
