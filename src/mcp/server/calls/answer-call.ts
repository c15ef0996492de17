import { randomUUID } from 'node:crypto';
import { GuardedAuditLog } from '../../../audit/guarded-audit-log.ts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { CallCounter } from '../../../calls/limits/call-counter.ts';
import type { CallLog } from '../../../calls/call-log.ts';
import type { ToolUseBlock } from '../../../models/language-model.ts';
import type { RunEventBody } from '../../../orchestrator/events/run-events.ts';
import { ToolUses } from '../../../orchestrator/tool-uses.ts';
import { tenantOf } from '../../../sessions/tenants/tenants.ts';
import { PacedListener } from '../../../shared/listeners/paced-listener.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import type { Approver } from '../../../tools/policy/approval.ts';
import type { PolicyOptions } from '../../../tools/policy/policy-gate.ts';
import type { ToolSet } from '../../../tools/registry/tool-set.ts';
import type { Tool } from '../../../tools/tool.ts';
import type { CallClient } from './call-client.ts';
import { codeResult, directResult } from './call-result.ts';
import type { SessionUse } from '../sessions/code-sessions.ts';
import type { Served, ToolRequest } from '../served.ts';
import { clientTools } from '../tools/client-tools.ts';
import { objectSchemaOf } from '../tools/tool-list.ts';

/** What the call itself reports beside the text for the model. */
interface Seen {
  /** The result of a direct call as JSON text. */
  json?: string;
  hostError?: string;
}

/**
 * Runs the program or the tool of a request, as a run of the orchestrator does: with the same policy,
 * limits and audit entries, and the same text for the model.
 * @param use - The session of a program; undefined for a direct call.
 * @returns undefined if clients have no tool of this name. The audit log has the call.
 * @throws what kept the host from carrying the call out.
 */
export async function answerCall(
  served: Served,
  { name, arguments: input }: ToolRequest,
  use: SessionUse | undefined,
  client: CallClient,
): Promise<CallToolResult | undefined> {
  const { executor, labels } = served;
  const { own, all, search } = clientTools(served);
  const tools = use === undefined ? all : own;
  const tool = use === undefined ? directTool(all, name) : undefined;
  const isSearch = tool !== undefined && search.includes(tool);
  // A search tells the model only what its prompt could have told it, so no rule is about it.
  const policy = isSearch ? undefined : served.policy;
  const isObject = tool !== undefined && objectSchemaOf(tool) !== undefined;
  const runId = randomUUID();
  const sessionKey = use?.codeTool.sessionKey;
  const seen: Seen = {};
  const listener = listenTo(seen, client);
  const uses = new ToolUses({
    codeTool: use?.codeTool ?? served.codeTool,
    tools,
    knownTools: [executor.tools, tools],
    policy: withApprover(policy, client.approver),
    audit: executor.audit && new GuardedAuditLog(executor.audit),
    // A client refuses a result that does not match the schema that it was told.
    checkResults: isObject ? 'error' : executor.checkResults,
    origin: {
      sessionId: undefined,
      sessionKey,
      labels,
      tenant: tenantOf(labels, executor.fairBy),
      runId,
      context: undefined,
    },
    counter: CallCounter.ofDirectCalls({ runId, sessionId: client.id }),
    callLog: () => resultLog(seen),
    signal: client.signal,
    events: {
      onEvent: (event) => {
        // A program may outlast the call that started it.
        if (event.type === 'program-ended') uses.end();
        listener.tell(event);
      },
      taken: () => listener.taken,
    },
  });
  const request: ToolUseBlock = {
    type: 'tool-use',
    id: randomUUID(),
    name,
    input: input as JsonObject,
  };
  const isOffered = use !== undefined || tool !== undefined;
  const {
    result: answer,
    failure,
    code,
  } = await uses.answer(request, {
    offered: new Set(isOffered ? [name] : []),
    purpose: '',
  });
  if (code?.program === undefined) uses.end();
  if (!isOffered) return undefined;
  if (failure !== undefined) throw failure;
  if (seen.hostError !== undefined) throw new Error(`${name}: ${seen.hostError}`);
  if (use !== undefined && code !== undefined) return codeResult(code, use.handle);
  const { isError } = answer;
  // Documentation is for the model to read. Its length is bounded.
  const { json } = seen;
  const text = isSearch && json !== undefined ? String(JSON.parse(json)) : answer.text;
  return directResult({ text, isError }, isObject && !isError ? json : undefined);
}

/** The tool that clients know by this name. */
function directTool(tools: ToolSet, name: string): Tool | undefined {
  return tools.forCaller('direct').find(({ identifier }) => identifier === name);
}

/** Rules may ask although the policy has no approver, because the user of the client decides. */
export function withApprover(
  policy: PolicyOptions | undefined,
  approver: Approver,
): PolicyOptions | undefined {
  return policy === undefined || policy.approver !== undefined ? policy : { ...policy, approver };
}

function listenTo(
  seen: Seen,
  { onProgramStarted, onToolCall, onProgress }: CallClient,
): PacedListener<RunEventBody> {
  return new PacedListener((event) => {
    if (event.type === 'program-started') return onProgramStarted?.();
    if (event.type === 'tool-call-started' && event.caller === 'code')
      return onToolCall(event.toolName);
    if (event.type === 'tool-call-progressed' && event.caller === 'direct')
      return onProgress(event);
    if (event.type === 'tool-call-ended' && event.caller === 'direct') {
      if (event.error?.type === 'HostError') seen.hostError = event.error.message;
    }
    return undefined;
  });
}

function resultLog(seen: Seen): CallLog {
  return {
    started: async () => {},
    ended: async ({ caller }, outcome) => {
      if (caller === 'direct' && outcome.ok) seen.json = outcome.result.text;
    },
  };
}
