// Files that every run finds in its tree; page.

/** By path, as `run({ files })` takes them. */
export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  "/data/sales.csv": `product,pieces,price
wall map,14,12.50
compass,31,7.80
signal lamp,9,24.00
tide table,52,3.20
wall map,6,12.50
sextant,2,189.00
compass,12,7.80
tide table,40,3.20
`,
};
