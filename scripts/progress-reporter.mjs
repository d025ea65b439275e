// A vitest reporter that keeps its counts in a file as it goes, and the names of what failed, so that a run that hangs still says what it knew; Node.
import { writeFileSync } from "node:fs";
import { env } from "node:process";

export default class ProgressReporter {
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #failures = [];
  #running = new Set();
  #complete = false;

  onTestRunStart() {
    this.#write();
  }

  onTestModuleStart(module) {
    this.#running.add(module.relativeModuleId);
    this.#write();
  }

  onTestCaseResult(test) {
    const { state } = test.result();
    this.#counts[state] += 1;
    if (state === "failed")
      this.#failures.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestModuleEnd(module) {
    this.#running.delete(module.relativeModuleId);
    // A file that fails outside its tests counts as one failure.
    const failed = [...module.children.allTests("failed")].length;
    if (module.state() === "failed" && failed === 0) {
      this.#counts.failed += 1;
      this.#failures.push(module.relativeModuleId);
    }
    this.#write();
  }

  onTestRunEnd() {
    this.#complete = true;
    this.#write();
  }

  #write() {
    if (!env.SALLYPORT_PROGRESS) return;
    const state = {
      ...this.#counts,
      failures: this.#failures,
      running: [...this.#running],
      complete: this.#complete,
    };
    writeFileSync(env.SALLYPORT_PROGRESS, JSON.stringify(state));
  }
}
