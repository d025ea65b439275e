# The page gives this run a file and gets back what the run writes:
# see "Files" under the output.
import csv
import json
import os
from collections import defaultdict
from host import tools

totals = defaultdict(float)
with open("/data/sales.csv", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        totals[row["product"]] += int(row["pieces"]) * float(row["price"])

ranking = sorted(totals.items(), key=lambda entry: -entry[1])
for product, total in ranking:
    print(f"{product:14}{total:10.2f}")

os.makedirs("/out", exist_ok=True)
with open("/out/totals.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([("product", "total"), *ranking])
with open("/out/totals.json", "w", encoding="utf-8") as file:
    json.dump(dict(ranking), file, indent=2)

names, values = zip(*ranking)
tools.draw_chart("Sales", names, values)
