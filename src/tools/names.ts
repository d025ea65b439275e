// Which names tools and their properties may have, so that a Python guest can write them; page, worker and Node.

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
// Unicode 15.1 lets these continue an identifier, the Pythons of today do not.
const TOO_NEW = /\u200c|\u200d|\u30fb|\uff65/;
const IDENTIFIER = /^[_\p{XID_Start}]\p{XID_Continue}*$/u;

/** Why a text cannot be a tool's name, or undefined when it can. */
export function toolNameProblem(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `${JSON.stringify(name)} is a Python keyword`;
  if (TOOL_NAME.test(name)) return undefined;
  return `${JSON.stringify(name)} is not a letter followed by up to 63 letters, digits or underscores`;
}

/** Why a text cannot be the name of a tool's property, or undefined when it can. */
export function propertyNameProblem(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `${JSON.stringify(name)} is a Python keyword`;
  if (!IDENTIFIER.test(name) || TOO_NEW.test(name))
    return `${JSON.stringify(name)} is not a Python identifier`;
  // Python rewrites such a name before it looks at it, so a guest could never send this one.
  if (name.normalize("NFKC") !== name) {
    return `${JSON.stringify(name)} is written as ${JSON.stringify(name.normalize("NFKC"))} by Python`;
  }
  return undefined;
}
