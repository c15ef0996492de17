import { isRecord } from '../../shared/guards.ts';
import { ApprovalGrants } from '../../tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import type { LineReader } from '../terminal/line-reader.ts';
import { colorsFor } from '../terminal/terminal.ts';
import { TerminalApprover } from './terminal-approver.ts';

/** Where the person at the terminal is asked. */
export interface Terminal {
  /** Undefined if nothing can be read. */
  readonly reader: () => LineReader | undefined;
  readonly output: NodeJS.WriteStream;
  /** Called before a question is shown. */
  readonly onAsk: () => void;
}

/**
 * The policy of a module, whose approver is the person at the terminal if it has none. Its value is
 * checked where it is used.
 */
export function terminalPolicy(
  policy: PolicyOptions | undefined,
  { reader, output, onAsk }: Terminal,
): PolicyOptions | undefined {
  if (!isRecord(policy) || policy['approver'] !== undefined) return policy;
  const approver = new TerminalApprover({
    read: async (signal) => reader()?.read(signal),
    write: (text) => {
      output.write(text);
    },
    onAsk: () => {
      reader()?.forgetTyped();
      onAsk();
    },
    colors: colorsFor(output),
    columns: () => output.columns || 80,
  });
  return { grants: new ApprovalGrants(), ...policy, approver };
}
