# SPDX-License-Identifier: Apache-2.0
"""Random cells under a rule: those of tessera are those of bgolly, cell by cell.

    golly_soups.py TESSERA
In the folder it is called in. Exit code 1 and a line for each rule whose cells differ."""
import os
import random
import re
import subprocess
import sys

# rule, states, width, height, generations
SOUPS = [("JvN29", 29, 60, 60, 8), ("Nobili32", 32, 60, 60, 8), ("Hutton32", 32, 60, 60, 8), ("W22", 2, 30, 9, 9), ("W30", 2, 30, 9, 9)]
SOUPS += [("B3/S23" + surface, 2, width, height, 20)
          for surface, width, height in ((":T20+7,13", 20, 13), (":T20-3,13", 20, 13), (":T13,20+7", 13, 20), (":T13,20-7", 13, 20),
                                         (":K16*,11", 16, 11), (":K11,16*", 11, 16), (":K16*+1,11", 16, 11), (":K11,16*+1", 11, 16),
                                         (":C16,11", 16, 11), (":S13", 13, 13))]


def letters(state):
    high, low = divmod(state - 1, 24)
    return "." if state == 0 else ("" if high == 0 else chr(ord("o") + high)) + chr(ord("A") + low)


def cells_of(file):
    """States that are not 0 by place, from the corner of their box."""
    with open(file, encoding="utf-8") as lines:
        body = "".join(line.strip() for line in list(lines) if not line.startswith(("#", "x")))
    cells, x, y = {}, 0, 0
    for count, letter in re.findall(r"(\d*)([p-y]?[A-X]|[.bo$!])", body):
        length = int(count or 1)
        if letter == "$":
            x, y = 0, y + length
        elif letter in ".b":
            x += length
        elif letter != "!":
            state = 1 if letter == "o" else ord(letter[-1]) - ord("A") + 1 + (24 * (ord(letter[0]) - ord("o")) if len(letter) == 2 else 0)
            for _ in range(length):
                cells[x, y] = state
                x += 1
    left, top = min((p[0] for p in cells), default=0), min((p[1] for p in cells), default=0)
    return {(i - left, j - top): state for (i, j), state in cells.items()}


def call(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    random.seed(3)
    wrong = 0
    for number, (rule, states, width, height, generations) in enumerate(SOUPS):
        with open("soup.rle", "w", encoding="utf-8") as file:
            print(f"x = {width}, y = {height}, rule = {rule}", file=file)
            for _ in range(height):
                print("".join(letters(random.randrange(states)) for _ in range(width)) + "$", file=file)
            print("!", file=file)
        if os.path.exists("golly.rle"):
            os.remove("golly.rle")
        call("bgolly", "-a", "JvN" if states > 2 else "QuickLife", "-m", str(generations), "-i", "1", "-o", "golly.rle", "soup.rle")
        case = f"soup{number}"
        margin = [] if ":" in rule else ["--margin", "12"]
        call(sys.argv[1], "automaton", "soup.rle", "--generations", str(generations), *margin, "--case", case, "--quiet")
        call(sys.argv[1], "convert", f"{case}/results/{generations:06}.h5:/fields/state", "ours.rle")
        if cells_of("golly.rle") != cells_of("ours.rle"):
            print(f"{rule}: {len(cells_of('ours.rle'))} cells after {generations} generations are not bgolly's {len(cells_of('golly.rle'))}")
            wrong = 1
    sys.exit(wrong)


if __name__ == "__main__":
    main()
