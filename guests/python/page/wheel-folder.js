// The folder of wheels that a run mounts; page and Node.
// @ts-check

import { image } from "sallyport";
import { plainName } from "./wheel-content.js";
import { WheelError } from "./wheel-error.js";

const FOLDER = "/packages";

/** Our own build finds the folder by itself; every other one imports this when it starts. After the standard library. */
const SITE_CUSTOMIZE = `# Puts the wheels beside this file at the end of sys.path.
import os, sys
_here = os.path.dirname(__file__)
for _name in sorted(os.listdir(_here)):
    if _name.endswith(".whl") and f"{_here}/{_name}" not in sys.path:
        sys.path.append(f"{_here}/{_name}")
`;

/** @type {typeof import("./wheels.d.ts").wheelFolder} */
export function wheelFolder(wheels) {
  for (const [at, wheel] of wheels.entries()) findClash(wheel, wheels.slice(0, at));
  const tree = Object.fromEntries(wheels.map(({ fileName, bytes }) => [fileName, bytes]));
  return {
    mounts: { [FOLDER]: image({ ...tree, "sitecustomize.py": SITE_CUSTOMIZE }) },
    env: { PYTHONPATH: FOLDER },
  };
}

/** @param {import("./wheels.d.ts").Wheel} wheel @param {readonly import("./wheels.d.ts").Wheel[]} others */
function findClash({ fileName, name, modules }, others) {
  for (const other of others) {
    const both = modules.filter((module) => other.modules.includes(module));
    const sameName = plainName(name) === plainName(other.name);
    if (!sameName && both.length === 0) continue;
    const what = sameName ? `is ${name} once more` : `brings the module ${both.join(", ")} too`;
    throw new WheelError("name_clash", fileName, `${what}: ${other.fileName} is here already.`);
  }
}
