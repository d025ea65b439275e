// When node_modules has to be installed again; Node.
import { expect, test } from "vitest";
import { packagesMissing } from "../../../scripts/install-packages.mjs";

const lock = (packages: object) => JSON.stringify({ packages: { "": { name: "x" }, ...packages } });
const wanted = {
  "node_modules/a": { version: "1.0.0" },
  "node_modules/only-mac": { version: "2.0.0", optional: true },
};

test("nothing is missing when the versions agree, whatever is optional", () => {
  expect(
    packagesMissing(lock(wanted), lock({ "node_modules/a": { version: "1.0.0" } })),
  ).toBeNull();
});

test("an absent folder, an absent package and another version are named", () => {
  expect(packagesMissing(lock(wanted), undefined)).toBe("node_modules is absent");
  expect(packagesMissing(lock(wanted), lock({}))).toBe("node_modules/a is absent");
  expect(packagesMissing(lock(wanted), lock({ "node_modules/a": { version: "0.9.0" } }))).toBe(
    "node_modules/a is 0.9.0, not 1.0.0",
  );
});

test("a record cut short counts as no installation", () => {
  expect(packagesMissing(lock(wanted), "{")).toMatch(/unreadable/);
});
