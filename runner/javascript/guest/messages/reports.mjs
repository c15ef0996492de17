/** `report`, by which a program shows its output to its caller while it goes on. */

import { encodeText, REPORT } from './frames.mjs';

const { String } = globalThis;

export class Reports {
  /** Undefined if the host does not want to know of them. */
  #executionId;

  /** Begins a program. */
  start({ executionId, tellsReports }) {
    this.#executionId = tellsReports ? executionId : undefined;
  }

  /**
   * Returns the function by which a program reports a text.
   * @param {import('../platform.d.ts').Platform} platform
   */
  makeFunction({ send }) {
    const report = (text) => {
      globalThis.console.log(String(text));
      if (this.#executionId === undefined) return;
      send(encodeText(REPORT, `{"execution_id":"${this.#executionId}"}`));
    };
    return report;
  }
}
