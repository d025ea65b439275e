// Every case of Python's behaviours; page and Node.

import { door, interpreter } from "./interpreter.cases.ts";
import { isolation, snapshotOnly } from "./isolation.cases.ts";
import { library, whole } from "./library.cases.ts";
import type { PythonCase } from "./python-case.ts";
import { settings } from "./settings.cases.ts";

export const ALL: readonly PythonCase[] = [
  ...library,
  ...whole,
  ...interpreter,
  ...door,
  ...isolation,
  ...snapshotOnly,
  ...settings,
];
