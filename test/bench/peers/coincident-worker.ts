// Calls the page through coincident without a pause, and looks at each answer; worker.

import coincident from "coincident/worker";

const { proxy, native } = await coincident();
if (!native) throw new Error("coincident found no shared memory");
for (let n = 1_000_000; ; n++) {
  const answer = proxy.count({ n, pad: "abcdefghijklmnopqrstuvwxyzabc" });
  if (answer.n !== n) throw new Error(`asked ${n}, answered ${answer.n}`);
}
