import { PolicyGate, type PolicyOptions } from '../tools/policy/policy-gate.ts';
import type { ToolSet } from '../tools/registry.ts';

/** The policies that calls must pass: the executor's own, and those that programs name. */
export class Policies {
  readonly #own: PolicyGate | undefined;
  /** A conversation passes the same policy for each of its programs. */
  readonly #others: WeakMap<PolicyOptions, PolicyGate> = new WeakMap();

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(own: PolicyOptions | undefined, tools: ToolSet) {
    this.#own = PolicyGate.from(own, tools);
  }

  /**
   * @param policy - The policy of a program.
   * @default the executor's
   * @throws PtcError `OPTION_INVALID`.
   */
  gate(policy: PolicyOptions | undefined, tools: ToolSet): PolicyGate | undefined {
    if (policy === undefined) return this.#own;
    const known = this.#others.get(policy);
    if (known !== undefined) return known;
    const gate = new PolicyGate(policy, tools.list());
    this.#others.set(policy, gate);
    return gate;
  }
}
