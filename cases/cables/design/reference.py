# SPDX-License-Identifier: Apache-2.0
"""Currents of the cables of this case by the formulas of IEC 60287, each cable with the losses at its own temperature.

    python3 cases/cables/design/reference.py
"""
from math import acosh, log, pi

d, limit, ambient, f = 20.5e-3, 90.0, 20.0, 50.0   # conductor [m], its limit and the ground [C], frequency [Hz]
outer = d + 2 * (1.8e-3 + 1.6e-3)                  # XLPE and PE, both of 3.5 K m/W


def resistance(temperature, spacing):
    """Of alternating current [Ohm/m]: IEC 60287-1-1, 2.1.1 to 2.1.4."""
    dc = 1.00e-4 * (1 + 0.00403 * (temperature - 20))
    x4 = (8 * pi * f / dc * 1e-7)**2
    skin = x4 / (192 + 0.8 * x4)
    near = (d / spacing)**2
    return dc * (1 + skin + skin * near * (0.312 * near + 1.18 / (skin + 0.27)))


def current(depth, spacing, soil):
    """At which the middle cable is at its limit: those beside it as lines of heat, IEC 60287-2-1, 2.2.3.2."""
    own = 3.5 / (2 * pi) * log(outer / d) + soil / (2 * pi) * acosh(2 * depth / outer)
    beside, beyond = (soil / (4 * pi) * log(1 + (2 * depth / a)**2) for a in (spacing, 2 * spacing))
    side = limit
    for _ in range(100):
        middle, out = resistance(limit, spacing), resistance(side, spacing)
        square = (limit - ambient) / (middle * own + 2 * out * beside)
        side = ambient + square * (out * (own + beyond) + middle * beside)
    return square**0.5


if __name__ == "__main__":
    for depth in (0.7, 1.2):
        for spacing in (0.055, 0.1, 0.3):
            print(depth, spacing, *(round(current(depth, spacing, soil), 2) for soil in (0.7, 1.2, 2)))
