// The "client" that the conformance suite starts: hands the server's address to the page that the test holds open; Node.
const {
  CONTROL_URL,
  MCP_CONFORMANCE_SCENARIO,
  MCP_CONFORMANCE_CONTEXT,
  MCP_CONFORMANCE_PROTOCOL_VERSION,
} = process.env;
const response = await fetch(CONTROL_URL, {
  method: "POST",
  body: JSON.stringify({
    url: process.argv.at(-1),
    scenario: MCP_CONFORMANCE_SCENARIO,
    version: MCP_CONFORMANCE_PROTOCOL_VERSION,
    context: JSON.parse(MCP_CONFORMANCE_CONTEXT ?? "{}"),
  }),
});
console.log(await response.text());
process.exitCode = response.ok ? 0 : 1;
