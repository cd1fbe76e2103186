#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of ca and solvers computes on the host alone.

    host_only.py            prints faults: a path of the table in docs/backends.md that is not there or needs no reason, and the
                            share of lines that have neither sweeps nor a reason, where it is a quarter or more
    host_only.py table      prints the lines by folder

A file has sweeps if it has kernels or loops over tiles, rows or cells that core's threads share. Reasons are those of the table
"Host only" in docs/backends.md, by folder or file.
"""

import os
import re
import sys
from collections import Counter

KERNELS = re.compile(r"KOKKOS_(FORCE)?(INLINE_)?FUNCTION|\bcore::(for_each|for_each_tile|for_each_team|for_each_in_rows|for_each_in_box"
                     r"|sums?|count|max|min|extremes)\(|for_each_(cell|held|block)\b")
THREADS = re.compile(r"for_each_by_threads|for_each_tile_on_host|for_each_on_host|for_each_row\(|Pipeline")
DOCS = "docs/backends.md"
LIMIT = 0.25


def declared() -> dict[str, str]:
    text = open(DOCS, encoding="utf-8").read()
    section = text.split("## Host only\n", 1)[1].split("\n## ", 1)[0]
    return {path: reason for paths, reason in re.findall(r"^\| (`.*?) \| (.*?) \|$", section, re.M)
            for path in re.findall(r"`([^`]+)`", paths)}


def kind(path: str, reasons: dict[str, str]) -> str:
    text = open(path, encoding="utf-8").read()
    if KERNELS.search(text):
        return "kernels"
    if THREADS.search(text):
        return "threads"
    return "declared" if any(path == of or path.startswith(of + "/") for of in reasons) else "neither"


def main() -> int:
    reasons = declared()
    lines: dict[str, Counter] = {}
    needed = set()
    for top in ("ca", "solvers"):
        for folder, _, names in sorted(os.walk(top)):
            for name in names:
                if not name.endswith((".cpp", ".hpp")):
                    continue
                path = f"{folder}/{name}"
                of = kind(path, reasons)
                lines.setdefault(folder, Counter())[of] += sum(1 for _ in open(path, encoding="utf-8"))
                needed.update(r for r in reasons if of == "declared" and (path == r or path.startswith(r + "/")))
    total = sum(lines.values(), Counter())
    share = total["neither"] / total.total()
    if sys.argv[1:] == ["table"]:
        kinds = ("kernels", "threads", "declared", "neither")
        print("| folder | " + " | ".join(kinds) + " |\n|---|" + "---|" * len(kinds))
        for folder, counts in [*lines.items(), ("all", total)]:
            print(f"| {folder} | " + " | ".join(str(counts[k]) for k in kinds) + " |")
        print(f"neither: {100 * share:.1f} % of {total.total()} lines")
        return 0
    faults = [f"{DOCS}: {path}: there is no such file or folder" for path in reasons if not os.path.exists(path)]
    faults += [f"{DOCS}: {path}: nothing there needs a reason" for path in reasons if os.path.exists(path) and path not in needed]
    if share >= LIMIT:
        faults.append(f"ca, solvers: {100 * share:.1f} % of the lines have neither sweeps nor a reason in {DOCS}")
    print("\n".join(faults), end="\n" if faults else "")
    return int(bool(faults))


sys.exit(main())
