#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golly's own collection of patterns against bgolly (Debian: apt-get install golly).

    bench/golly.py [--list FILE] [--only TEXT]... [--generations N] [--seconds S] [--memory GB] [PROGRAM]
Each pattern runs with its own rule in bgolly and by `tessera automaton`, and the populations are compared. Patterns in zip files
count one by one. The table is by family of rule, which the file's header tells:
    equal      the same population
    different  another one: a fault
    refused    exit code 1 or 2 with one line that says why
    large      more than S seconds (120) or GB of memory (8) for `tessera automaton`
    unclear    any other end: a fault
    no peer    bgolly does not run it either
--only runs those with one of the texts in their names. --list writes a line a pattern: outcome, family, file, both populations or
what was said. Exit code 1 with a fault in the table. Patterns of a later generation go on from there in bgolly.
Scripts in Lua are no patterns. Environment: GOLLY, the folder with Patterns and Rules (/usr/share/golly).
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile

PATTERNS = (".rle", ".mc", ".lif", ".mcl", ".cells")
OUTCOMES = ("equal", "different", "refused", "large", "unclear", "no peer")
ALGORITHMS = ("QuickLife", "HashLife", "Generations", "Larger than Life", "JvN", "RuleLoader")


def is_pattern(name):
    plain = name[:-3] if name.endswith(".gz") else name
    return plain.endswith(PATTERNS) and "__MACOSX" not in name


def collect(golly, folder):
    """Every pattern as (name to print, file): those of zip files unpacked into the folder, and their rules put into Rules/."""
    found = []
    rules = folder / "Rules"
    rules.mkdir()
    for rule in (golly / "Rules").rglob("*.rule"):
        (rules / rule.name).symlink_to(rule)
    for path in sorted((golly / "Patterns").rglob("*")):
        name = str(path.relative_to(golly / "Patterns"))
        if is_pattern(name):
            found.append((name, path))
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                inside = folder / "zip" / name
                for member in archive.namelist():
                    if member.endswith(".rule") and "__MACOSX" not in member:
                        (rules / pathlib.Path(member).name).write_bytes(archive.read(member))
                    if is_pattern(member) or member.endswith(".rule"):
                        archive.extract(member, inside)
                    if is_pattern(member):
                        found.append((name + ":" + member, inside / member))
    return found, rules


def text_of(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("latin-1")


def generation_of(path):
    """The generation that a Macrocell pattern says it is of: bgolly counts on from there."""
    number = re.search(r"^#G\s+(\d+)\s*$", text_of(path), re.MULTILINE)
    return int(number.group(1)) if number else 0


def rule_of(path):
    """The rule in the pattern's header; B3/S23 where it names none, as Golly takes it."""
    for line in text_of(path).splitlines():
        for form in (r"\s*x\s*=.*rule\s*=\s*(.*)", r"#R\s+(.*)", r"#RULE\s+(.*)"):
            named = re.fullmatch(form, line)
            if named:
                return named.group(1).strip()
    return "B3/S23"


def family_of(rule, rules):
    """The family of a rulestring; a name is looked up among the .rule files, as Golly does first."""
    plain = re.sub(r":[PTKCS][0-9].*", "", rule)
    if plain != rule:
        return "bounded grid"
    file = rules / (plain + ".rule")
    if file.exists():
        text = file.read_text(encoding="latin-1")
        if re.search("margolus|square4", plain, re.IGNORECASE):
            return ".rule, Margolus emulated"
        return ".rule @TABLE" if "@TABLE" in text else ".rule @TREE"
    for name, form in (
        ("JvN, Nobili, Hutton", r"JvN.*|Nobili.*|Hutton.*"),
        ("Wolfram", r"W\d+"),
        ("MAP", r"MAP.*"),
        ("Larger than Life", r"R\d+,.*"),
        ("MCell table", r"(\d,){8,}.*"),
        ("Generations", r"[0-8]*/[0-8]*/\d+"),
        ("B/S with B0", r"B0[0-8]*/?S[0-8]*[VH]?"),
        ("B/S", r"B[0-8]*/?(S[0-8]*)?[VH]?|S[0-8]*/?B[0-8]*[VH]?|[0-8]*/[0-8]*[VH]?|Life"),
        ("Hensel letters", r"B[0-8aceijknqrtwyz-]*[/_]?S[0-8aceijknqrtwyz-]*"),
    ):
        if re.fullmatch(form, plain, re.IGNORECASE):
            return name
    return "other"


def call(command, seconds, gigabytes, folder):
    """Exit code (None: out of time), and what was printed; rules are found in the folder's Rules."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, cwd=folder, env=os.environ | {"GOLLY": str(folder)},
                              preexec_fn=limit, check=False)
    except subprocess.TimeoutExpired:
        return None, "out of time"
    return done.returncode, done.stdout.decode("latin-1")


def golly_population(path, rules, options, folder):
    """bgolly's population by the first of its algorithms that takes the pattern, or None."""
    last_generation = generation_of(path) + options.generations
    for algorithm in ALGORITHMS:
        code, text = call(["bgolly", "-a", algorithm, "-s", f"{rules}/", "-m", str(last_generation), "-i",
                           str(options.generations), str(path)], options.seconds, 8, folder)
        last = re.findall(rf"^{last_generation:,}: ([0-9,.]+)\s*$", text, re.MULTILINE)
        if code == 0 and last and "Fatal" not in text:
            return int(re.sub("[,.]", "", last[-1]))
    return None


def our_population(path, options, folder):
    """(population, what was said): the population, or an outcome of the table."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    code, text = call([options.program, "automaton", str(path), "--quiet", "--report", str(report), "--generations",
                       str(options.generations)], options.seconds, options.memory, folder)
    said = " ".join(text.split())
    if code == 0:
        return int(json.loads(report.read_text())["results"]["population"]), said
    if code is None or "out of memory" in said:
        return "large", said
    if code in (1, 2) and len(text.strip().splitlines()) == 1:
        return "refused", said
    return "unclear", f"exit code {code}: {said}"


def compare(name, path, rules, options, folder):
    """A line of the list: outcome, family, name, details."""
    rule = rule_of(path)
    ours, said = our_population(path, options, folder)
    theirs = golly_population(path, rules, options, folder)
    if theirs is None:
        outcome = "no peer"
    elif isinstance(ours, str):
        outcome = ours
    else:
        outcome = "equal" if ours == theirs else "different"
    for passing in folder.glob("tessera-automaton-*"):
        shutil.rmtree(passing)
    return outcome, family_of(rule, rules), name, rule[:60], str(theirs), str(ours), said[-300:]


def print_table(lines):
    counts = collections.Counter((line[1], line[0]) for line in lines)
    families = sorted({line[1] for line in lines}, key=lambda f: -sum(counts[f, o] for o in OUTCOMES))
    print("| family | files | " + " | ".join(OUTCOMES) + " |\n|---|" + "---|" * (len(OUTCOMES) + 1))
    for family in families:
        row = [counts[family, outcome] for outcome in OUTCOMES]
        print(f"| {family} | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    row = [sum(counts[family, outcome] for family in families) for outcome in OUTCOMES]
    print(f"| sum | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    print(f"equal, of those that bgolly runs: {100 * row[0] / max(1, sum(row) - row[5]):.1f} %")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--generations", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--memory", type=float, default=8)
    parser.add_argument("program", nargs="?", default=os.environ.get("TESSERA", str(root / "build/release/tessera")))
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    golly = pathlib.Path(os.environ.get("GOLLY", "/usr/share/golly"))
    if shutil.which("bgolly") is None or not (golly / "Patterns").is_dir():
        sys.exit("bgolly or its patterns are not there: apt-get install golly")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        patterns, rules = collect(golly, folder)
        chosen = [p for p in patterns if not options.only or any(text in p[0] for text in options.only)]
        if not chosen:
            sys.exit(f"no pattern has {' or '.join(options.only)} in its name")
        lines = []
        for number, (name, path) in enumerate(chosen, 1):
            lines.append(compare(name, path, rules, options, folder))
            print(f"{number}/{len(chosen)} {lines[-1][0]} {name}", file=sys.stderr)
    if options.list:
        pathlib.Path(options.list).write_text("".join("\t".join(line) + "\n" for line in sorted(lines)), encoding="utf-8")
    print_table(lines)
    sys.exit(any(line[0] in ("different", "unclear") for line in lines))


if __name__ == "__main__":
    main()
