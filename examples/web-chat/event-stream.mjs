// @ts-check
// A run as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import { finished } from 'node:stream/promises';
import { PtcError } from 'sandboxed-ptc';

/** Proxies and routers forget connections on which nothing comes. */
const HEARTBEAT_MS = 15_000;

/**
 * Answers with events as they come, and returns when all are sent. The signal fires if the reader leaves.
 * @param {import('fastify').FastifyReply} reply
 * @param {(signal: AbortSignal) => AsyncIterable<import('sandboxed-ptc').RunEvent>} run
 */
export async function sendEvents(reply, run) {
  const { raw } = reply.hijack();
  const reader = new AbortController();
  raw.once('close', () => reader.abort());
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_MS);
  try {
    for await (const event of run(reader.signal)) {
      const told = forReader(event);
      if (told !== undefined) raw.write(`data: ${JSON.stringify(told)}\n\n`);
    }
  } catch (error) {
    const code = PtcError.isInstance(error) ? error.code : 'RUN_FAILED';
    // Without its details, which have the conversation.
    if (code !== 'ABORTED' && code !== 'CLOSED') reply.log.error(`${code}: ${String(error)}`);
    raw.write(`data: ${JSON.stringify({ type: 'failed', code, message: explain(code) })}\n\n`);
  } finally {
    clearInterval(heartbeat);
    raw.end();
    await finished(raw).catch(() => 'the reader has left');
  }
}

/**
 * What the page draws, and nothing of the machine that this runs on. Errors are told at the end.
 * @param {import('sandboxed-ptc').RunEvent} event
 */
function forReader(event) {
  switch (event.type) {
    case 'run-start':
    case 'turn-start':
      return { type: event.type };
    case 'text-delta':
    case 'output-delta':
      return { type: event.type, text: event.text };
    case 'code-start':
      return { type: event.type, language: event.language, code: event.code };
    case 'code-end':
      return { type: event.type, status: event.result?.status ?? 'not run' };
    case 'tool-call': {
      const { type, callId, toolName, arguments: input } = event;
      return { type, callId, toolName, arguments: input };
    }
    case 'tool-result': {
      const { type, callId, result, error } = event;
      return { type, callId, result, error: error?.message };
    }
    case 'approval': {
      const { type, requestId, decision, toolName, arguments: input, reason, expiresAtMs } = event;
      return { type, requestId, decision, toolName, arguments: input, reason, expiresAtMs };
    }
    case 'run-end':
      return { type: event.type, text: event.result.text };
    default:
      return undefined;
  }
}

/**
 * What the user is told. The error's own message is for the log.
 * @param {string} code
 */
function explain(code) {
  switch (code) {
    case 'SANDBOX_LIMIT':
    case 'MODEL_OVERLOADED':
      return 'Too many people are asking just now. Try again in a minute.';
    case 'ITERATION_LIMIT':
    case 'RUN_TIMEOUT':
      return 'This took too long and was stopped. Say how to go on.';
    case 'MODEL_CONTEXT_EXCEEDED':
      return 'This conversation is too long for the model. Start a new one.';
    case 'MODEL_REFUSED':
      return 'The model declined to answer this.';
    case 'CLOSED':
      return 'The server is being restarted. Send a message in a minute to go on.';
    default:
      return 'Something went wrong here. Send a message to go on.';
  }
}
