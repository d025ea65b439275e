// The origins that this page's own policy lets it fetch from: one list, which the browser enforces too; page.

/** Origins of `connect-src` in the page's policy. Patterns and schemes are not read: what stands there is an origin or 'self'. */
export function allowedOrigins(): readonly string[] {
  const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]');
  const directives = (policy?.getAttribute("content") ?? "").split(";").map((one) => one.trim());
  const [, ...sources] = (directives.find((one) => one.startsWith("connect-src ")) ?? "").split(
    /\s+/,
  );
  return sources.flatMap((source) => {
    if (source === "'self'") return [location.origin];
    return URL.canParse(source) ? [new URL(source).origin] : [];
  });
}
