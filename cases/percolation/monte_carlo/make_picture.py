# SPDX-License-Identifier: Apache-2.0
"""Draws picture.png from postProcessing/samples.csv of a run:  python3 make_picture.py CASE picture.png   (matplotlib)"""
import csv
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(sys.argv[1] + "/postProcessing/samples.csv") as table:
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(table)]
p = [row["probability"] for row in rows]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.errorbar(p, [r["spans"] for r in rows], [r["spansError"] for r in rows], fmt="o-", color="#00488c", capsize=3)
left.axvline(0.592746, color="#888888", linestyle=":")
left.set(xlabel="p", ylabel="share of samples that span", title="62 x 62 sites, 100 samples a point")
for name, label, colour in (("spanningSites", "spanning cluster", "#56b4e9"), ("backboneSites", "backbone", "#00488c"),
                            ("redSites", "red sites", "#d55e00")):
    right.errorbar(p, [r[name + "IfSpanning"] for r in rows], [r[name + "IfSpanningError"] for r in rows], fmt="o-",
                   color=colour, label=label, capsize=3)
right.set(xlabel="p", ylabel="sites, samples that span", yscale="log")
right.legend()
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=80)
