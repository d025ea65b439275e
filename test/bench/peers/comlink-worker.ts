// Calls the page through comlink without a pause, and looks at each answer; worker.

import * as Comlink from "comlink";

const page = Comlink.wrap<{ count(args: { n: number; pad: string }): { n: number } }>(
  globalThis as unknown as Comlink.Endpoint,
);
for (let n = 1_000_000; ; n++) {
  const answer = await page.count({ n, pad: "abcdefghijklmnopqrstuvwxyzabc" });
  if (answer.n !== n) throw new Error(`asked ${n}, answered ${answer.n}`);
}
