import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { escapeControls, escapeLine } from '../../../shared/control-characters.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { Approval } from '../../../tools/policy/approval.ts';
import type { ApprovalRequest } from '../../../tools/policy/approval-request.ts';

/** The longest arguments that a user is asked about, as JSON text in characters. */
const MAX_LENGTH = 10_000;

/** The answer if the user cannot be asked. */
export const CANNOT_ASK: Approval = {
  approved: false,
  reason:
    'it needs approval, and the client cannot ask its user, because it does not support elicitation',
};

/** Whether a client can show a form to its user. A client of older revisions declares no modes. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isRecord(elicitation)) return false;
  return elicitation['form'] !== undefined || elicitation['url'] === undefined;
}

/**
 * The form that asks the user about a call, or an answer without asking: nobody can approve arguments
 * that are too long to be shown. Its only field has no default, so that a client which accepts forms
 * unseen approves nothing.
 */
export function approvalForm(request: ApprovalRequest): ElicitRequestFormParams | Approval {
  const { toolName, reason } = request;
  const sent = JSON.stringify(request.arguments, undefined, 2);
  if (sent.length > MAX_LENGTH) {
    const what = `its arguments have ${sent.length} characters, and its user is asked about at most ${MAX_LENGTH}`;
    return { approved: false, reason: what };
  }
  const lines = [
    `Allow this call of the tool ${escapeLine(toolName)}?`,
    ...(reason === undefined ? [] : [`Reason: ${escapeLine(reason)}`]),
    `Arguments: ${escapeControls(sent)}`,
  ];
  return {
    mode: 'form',
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Approve', description: 'Whether the tool may run.' },
      },
      required: ['approve'],
    },
  };
}

/** What the user decided. Anything but a form that was accepted with `approve: true` rejects. */
export function readAnswer(answer: unknown): Approval {
  const { action, content } = isRecord(answer) ? answer : {};
  if (action === 'accept' && isRecord(content) && content['approve'] === true) {
    return { approved: true };
  }
  const reason =
    action === 'cancel' ? 'the user did not decide' : 'the user of the client did not approve it';
  return { approved: false, reason };
}
