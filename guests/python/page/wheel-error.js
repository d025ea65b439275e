// What can be wrong with a wheel, in a sentence for a person; anywhere.
// @ts-check

export class WheelError extends Error {
  /** @param {import("./wheels.d.ts").WheelErrorCode} code @param {string} fileName @param {string} message @param {unknown} [cause] */
  constructor(code, fileName, message, cause) {
    super(`${fileName || "This"} ${message}`, { cause });
    this.name = "WheelError";
    this.code = code;
    this.fileName = fileName;
  }
}

/** @param {string} fileName @param {string} why */
export function nativeCode(fileName, why) {
  const rest = "Native code does not run here; take a wheel whose name ends in -none-any.whl.";
  return new WheelError("native_code", fileName, `${why}. ${rest}`);
}
