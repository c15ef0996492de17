import { PolicyGate, type PolicyOptions } from '../../tools/policy/policy-gate.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';

/** The policies that calls must pass: the executor's own, or that which a program names. */
export class Policies {
  readonly #own: PolicyGate | undefined;
  readonly #ownTools: ToolSet;

  /**
   * @param ownTools - The tools of the executor.
   * @throws PtcError `OPTION_INVALID`.
   */
  constructor(own: PolicyOptions | undefined, ownTools: ToolSet) {
    this.#own = PolicyGate.from(own, [ownTools]);
    this.#ownTools = ownTools;
  }

  /**
   * @param policy - The policy of a program.
   * @default the executor's
   * @param sets - The tools that its rules may name beside those of the executor.
   * @throws PtcError `OPTION_INVALID`.
   */
  gate(policy: PolicyOptions | undefined, sets: readonly ToolSet[]): PolicyGate | undefined {
    const gate = policy === undefined ? this.#own : new PolicyGate(policy);
    gate?.checkNames([this.#ownTools, ...sets]);
    return gate;
  }
}
