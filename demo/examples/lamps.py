# Every lamp is one call of the page; time.sleep() really sleeps.
import math
import time
from host import tools

WIDTH, HEIGHT = 24, 6
COLOURS = ["blue", "violet", "red", "amber", "green"]

tools.clear_lamps()
shown = {}
start = time.monotonic()
for step in range(60):
    wanted = {}
    for x in range(WIDTH):
        y = round((math.sin((x + step) / 3) + 1) / 2 * (HEIGHT - 1))
        wanted[x, y] = COLOURS[step // 12 % len(COLOURS)]
    for place in shown.keys() - wanted.keys():
        tools.light_lamp(*place, "off")
    for place, colour in wanted.items():
        if shown.get(place) != colour:
            tools.light_lamp(*place, colour)
    shown = wanted
    time.sleep(0.05)
print(f"60 frames in {time.monotonic() - start:.1f} s")
