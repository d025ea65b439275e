// volume:/// addresses of results: which file below /volume they name, if any; anywhere.

const PREFIX = /^volume:\/\/\//i;

/** Whether an address is one of a volume, good or bad. */
export function isVolumeUri(uri: string): boolean {
  return /^volume:/i.test(uri);
}

/**
 * The names along the path beneath /volume, such as ["tmp", "chart 1.png"] for "volume:///tmp/chart%201.png". Every
 * segment is decoded on its own, so none can name two. Undefined for what names no file there.
 */
export function volumePath(uri: string): readonly string[] | undefined {
  if (!PREFIX.test(uri) || /[?#]/.test(uri)) return undefined;
  const names: string[] = [];
  for (const segment of uri.replace(PREFIX, "").split("/")) {
    const name = decode(segment);
    if (name === undefined || name === "" || name === "." || name === "..") return undefined;
    if (/[/\0]/.test(name)) return undefined;
    names.push(name);
  }
  return names;
}

/** Undefined for bytes that are not UTF-8, and for a "%" without two digits. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
