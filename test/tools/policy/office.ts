import { invokeTool } from '../../../src/calls/invoke-tool.ts';
import type { ToolOutcome } from '../../../src/calls/tool-outcome.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import type { Approver } from '../../../src/tools/policy/approval.ts';
import type { ApprovalRequest } from '../../../src/tools/policy/approval-request.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import type { ApprovalGrant } from '../../../src/tools/policy/grants/grant.ts';
import type { CallDecision, CallGate, CallingUnit } from '../../../src/tools/policy/call-gate.ts';
import { PolicyGate } from '../../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { programCounter } from '../../support/call-counter.ts';
import { callingUnit, callOrigin } from '../../support/call-origin.ts';

const tools = new ToolRegistry(
  ['pay', 'send'].map((name) =>
    defineTool({
      name,
      description: 'Writes.',
      inputSchema: { type: 'object' },
      allowedCallers: ['code', 'direct'],
      run: () => 'done',
    }),
  ),
);

/** A policy that asks about both tools, with an approver that gives one grant with its first approval. */
export class Office {
  readonly grants: ApprovalGrants = new ApprovalGrants();
  readonly asked: ApprovalRequest[] = [];
  readonly decisions: CallDecision[] = [];
  readonly gate: PolicyGate;
  #calls = 0;

  /**
   * @param approver - Another approver.
   * @param canGrant - Whether the policy keeps grants.
   */
  constructor(grant: ApprovalGrant, approver?: Approver, canGrant: boolean = true) {
    this.gate = new PolicyGate({
      rules: [
        {
          tool: 'pay',
          when: ({ input }) => Number(input['amount']) > 1000,
          action: 'deny',
          reason: 'too much',
        },
        { tool: '*', action: 'ask' },
      ],
      ...(canGrant && { grants: this.grants }),
      approver:
        approver ??
        (async (request) => {
          this.asked.push(request);
          return this.asked.length === 1 ? { approved: true, grant } : { approved: true };
        }),
    });
  }

  program(changes: Partial<CallingUnit> = {}): Program {
    const unit = callingUnit(changes);
    const gate = this.gate.callGate(unit);
    return {
      gate,
      call: async (toolName, sent, caller = 'code') => {
        this.#calls += 1;
        return invokeTool(tools, {
          toolName,
          arguments: sent,
          caller,
          callId: `c${this.#calls}`,
          counter: programCounter(),
          origin: { ...callOrigin({ runId: unit.runId }), sessionId: unit.sessionId },
          signal: new AbortController().signal,
          policy: gate,
          onDecision: (decision) => this.decisions.push(decision),
        });
      },
    };
  }
}

interface Program {
  readonly gate: CallGate;
  readonly call: (
    toolName: string,
    sent: unknown,
    caller?: 'code' | 'direct',
  ) => Promise<ToolOutcome>;
}
