// The programs about orders, as a model would write them: with pandas and matplotlib, if the sandbox has them, or with what
// Python has. Both keep what they read for the next program, and print the same figures.

export const QUARTERS = `\
import csv
from collections import Counter

export = await export_orders(year=2025)
with open(export["path"]) as file:
    orders = list(csv.DictReader(file))

quarters = Counter()
for order in orders:
    order["revenue"] = int(order["quantity"]) * float(order["price"])
    quarter = (int(order["date"][5:7]) + 2) // 3
    quarters[order["region"], quarter] += order["revenue"]
regions = sorted({region for region, _ in quarters})

print(f"Revenue of {len(orders):,} orders by quarter")
for region in regions:
    print(f"{region:6}", *(f"{quarters[region, number]:9,.0f}" for number in range(1, 5)))`;

export const QUARTERS_WITH_PANDAS = `\
import pandas as pd

export = await export_orders(year=2025)
orders = pd.read_csv(export["path"], parse_dates=["date"])

orders["revenue"] = orders["quantity"] * orders["price"]
quarters = orders.pivot_table(
    index="region", columns=orders["date"].dt.quarter, values="revenue", aggfunc="sum"
)
print(f"Revenue of {len(orders):,} orders by quarter")
print(quarters.to_string(float_format="{:,.0f}".format))`;

export const DECLINE = `\
region = min(regions, key=lambda region: quarters[region, 4] / quarters[region, 1])
months = Counter()
for order in orders:
    if order["region"] == region:
        months[order["category"], int(order["date"][5:7])] += order["revenue"]
categories = {category for category, _ in months}
category = min(categories, key=lambda category: months[category, 12] / months[category, 1])

loss = 1 - quarters[region, 4] / quarters[region, 1]
print(f"- {region}: {loss:.0%} less in Q4 than in Q1")
print(f"- {category}: \${months[category, 1]:,.0f} in January,", end=" ")
print(f"\${months[category, 12]:,.0f} in December")
for month in range(1, 13):
    print(f"  {month:2} {'#' * round(months[category, month] / 4_000)}")`;

export const DECLINE_WITH_PANDAS = `\
import matplotlib.pyplot as plt

region = (quarters[4] / quarters[1]).idxmin()
there = orders[orders["region"] == region]
months = there.pivot_table(
    index=there["date"].dt.month, columns="category", values="revenue", aggfunc="sum"
)
category = (months.loc[12] / months.loc[1]).idxmin()

loss = 1 - quarters.loc[region, 4] / quarters.loc[region, 1]
print(f"- {region}: {loss:.0%} less in Q4 than in Q1")
print(f"- {category}: \${months.loc[1, category]:,.0f} in January,", end=" ")
print(f"\${months.loc[12, category]:,.0f} in December")

months.plot(title=f"Revenue in the {region} by category", xlabel="month", ylabel="dollars")
plt.show()`;
