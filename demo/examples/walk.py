# A simulation that draws while it runs: each call replaces the chart.
import random
from host import tools

days, price, prices = 60, 100.0, []
for day in range(1, days + 1):
    price *= 1 + random.gauss(0.002, 0.02)
    prices.append(round(price, 2))
    if day % 3 == 0:
        tools.draw_chart(
            title=f"A random walk, day {day}",
            labels=[str(n) for n in range(1, day + 1)],
            values=prices,
            kind="line",
        )

print(f"lowest {min(prices):.2f}, highest {max(prices):.2f}, last {prices[-1]:.2f}")
