"""Writes the files of `examples/data` that `examples/data-analysis.mjs` reads. Needs openpyxl."""

import csv
import pathlib
import random

from openpyxl import Workbook

DATA = pathlib.Path(__file__).parent.parent / "examples/data"
MONTHLY = {"North": 41_000, "South": 28_000, "West": 35_000}
TARGETS = {"North": 480_000, "South": 360_000, "West": 400_000}

numbers = random.Random(7)
with open(DATA / "sales.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["month", "region", "product", "revenue"])
    for month in range(1, 13):
        for region, usual in MONTHLY.items():
            for product, share in (("desk", 0.6), ("chair", 0.4)):
                revenue = usual * share * (0.8 + month / 30 + numbers.uniform(-0.08, 0.08))
                writer.writerow([f"2025-{month:02}", region, product, round(revenue)])

book = Workbook()
book.active.title = "Targets"
for row in (("region", "target"), *TARGETS.items()):
    book.active.append(row)
book.save(DATA / "targets.xlsx")
