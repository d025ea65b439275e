// The relay's own list of hosts, judged apart from the page's; Node.

/** A refusal that the guest is told, with one of the kinds of its HTTP. */
export class RelayError extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

const ENTRY = /^(\*\.)?((?:[a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63})(?::([0-9]{1,5}))?$/;

/**
 * Makes a judge of URLs: it gives the parsed URL, or throws a RelayError. Entries are `api.example.com`,
 * `*.example.com` for every name below, with `:port` when it is not 443.
 *
 * @param {readonly string[]} allow
 * @returns {(text: string) => URL}
 */
export function createAllowlist(allow) {
  const entries = allow.map((text) => {
    const found = ENTRY.exec(text);
    if (!found || /\.[0-9]+$/.test(found[2]))
      throw new Error(`not a host that can be allowed: ${text}`);
    return { below: found[1] !== undefined, host: found[2], port: Number(found[3] ?? 443) };
  });
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") {
      throw new RelayError("invalid_request", "the relay takes plain https URLs");
    }
    const port = Number(url.port || 443);
    // An address never matches: the last label of an entry is not a number, and none has brackets.
    const listed = entries.some(
      (entry) =>
        entry.port === port &&
        (entry.below ? url.hostname.endsWith(`.${entry.host}`) : url.hostname === entry.host),
    );
    if (!listed) throw new RelayError("host_not_allowed", `${url.host} is not in the relay's list`);
    return url;
  };
}
