// Whether a version of Python fits what a wheel's Requires-Python says; anywhere.
// @ts-check

/** 11 of "3.11" or "3.11.2". @param {string} version */
export function minorOf(version) {
  return Number(version.split(".")[1] ?? 0);
}

/**
 * Reads a list such as `>=3.8, !=3.9.*, <4`. Of a version without a third number, such as "3.11", every patch is taken to be
 * possible. What cannot be read does not stand in the way.
 *
 * @param {string} specifiers
 * @param {string} version
 */
export function acceptsVersion(specifiers, version) {
  return specifiers.split(",").every((one) => {
    const [, operator = "", wanted = "", star] =
      /^\s*(~=|===?|!=|<=|>=|<|>)\s*([\d.]*\d)[a-z\d]*(\.\*)?\s*$/.exec(one) ?? [];
    return operator === "" || fits(operator, numbers(wanted), numbers(version), star !== undefined);
  });
}

/** @param {string} text */
function numbers(text) {
  return text.split(".").map(Number);
}

/** @param {string} operator @param {number[]} wanted @param {number[]} have @param {boolean} star */
function fits(operator, wanted, have, star) {
  const known = have.length < 3 ? have.length : 3;
  const order = compare(have, wanted, star ? wanted.length : 3);
  // 3.11 may be 3.11.2, which is above 3.11.1 and not 3.11.1.
  const unsure = wanted.length > known && compare(have, wanted, known) === 0;
  if (unsure) return true;
  switch (operator) {
    case ">=":
      return order >= 0;
    case ">":
      return order > 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0;
    case "!=":
      return order !== 0;
    case "~=":
      return order >= 0 && compare(have, wanted, Math.max(1, wanted.length - 1)) === 0;
    default:
      return order === 0;
  }
}

/** Of the first numbers. @param {number[]} a @param {number[]} b @param {number} count */
function compare(a, b, count) {
  for (let at = 0; at < count; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
