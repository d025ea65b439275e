// The errors for an init export that made no snapshot; page and Node.

import { SandboxError } from "../errors.ts";
import type { InitEnd, SnapshotSpec } from "../wire/snapshot.ts";

/** The error for one that did not end in its time. */
export function initTimedOut({ init, timeoutMs }: SnapshotSpec): SandboxError {
  return new SandboxError(
    "bad_snapshot",
    `no snapshot: the export ${init} did not end within ${timeoutMs} ms (snapshot.timeoutMs)`,
    { data: { reason: "timeout", timeoutMs } },
  );
}

/** The error for one that ended badly. */
export function initFailed(
  spec: SnapshotSpec,
  { end, exitCode, reason, said }: InitEnd,
): SandboxError {
  if (end === "timeout") return initTimedOut(spec);
  const how = end === "exited" ? `gave ${exitCode}` : `${end} (${reason ?? "no reason"})`;
  return new SandboxError(
    "bad_snapshot",
    `no snapshot: the export ${spec.init} ${how}\n${said}`.trim(),
    { data: { exitCode, reason } },
  );
}
