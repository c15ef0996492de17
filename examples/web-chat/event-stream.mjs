// @ts-check
// A run as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { PtcError } from 'sandboxed-ptc';
import { pictureId } from './files.mjs';

/** Proxies and routers drop connections without traffic. */
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for so long has gone, although its connection is open. */
const STALLED_MS = 60_000;

/**
 * Sends events as they happen, and returns when all are sent. The signal fires if the reader
 * disconnects or takes nothing any more.
 * @param {import('fastify').FastifyReply} reply
 * @param {(signal: AbortSignal) => AsyncIterable<import('sandboxed-ptc').RunEvent>} run
 */
export async function sendEvents(reply, run) {
  const { raw } = reply.hijack();
  const reader = new AbortController();
  // The connection's, because an answer that waits behind another one on it has no event `close`.
  const { socket } = raw.req;
  const leave = () => reader.abort();
  socket.once('close', leave);
  if (socket.destroyed) leave();
  raw.setTimeout(STALLED_MS, () => raw.destroy());
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const heartbeat = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(':\n\n');
  }, HEARTBEAT_MS);
  /** @param {unknown} told */
  const send = async (told) => {
    if (raw.write(`data: ${JSON.stringify(told)}\n\n`)) return;
    // A reader that takes no more makes the run wait, instead of filling this server's memory.
    await once(raw, 'drain', { signal: reader.signal }).catch(() => 'the reader has disconnected');
  };
  try {
    for await (const event of run(reader.signal)) {
      const told = forReader(event);
      if (told !== undefined) await send(told);
    }
  } catch (error) {
    const code = PtcError.isInstance(error) ? error.code : 'RUN_FAILED';
    // Without the error's details, which contain the conversation.
    if (code !== 'ABORTED' && code !== 'CLOSED') reply.log.error(`${code}: ${String(error)}`);
    raw.write(`data: ${JSON.stringify({ type: 'failed', code, message: explain(code) })}\n\n`);
  } finally {
    clearInterval(heartbeat);
    raw.end();
    await finished(raw, { signal: reader.signal }).catch(() => 'the reader has disconnected');
    socket.off('close', leave);
  }
}

/**
 * The part of an event that the page needs, with nothing about this machine. Errors are sent at the
 * end.
 * @param {import('sandboxed-ptc').RunEvent} event
 */
function forReader(event) {
  switch (event.type) {
    case 'run-started':
    case 'turn-started':
      return { type: event.type };
    case 'text-delta':
    case 'output-delta':
      return { type: event.type, text: event.text };
    case 'program-started':
      return { type: event.type, language: event.language, code: event.code };
    case 'program-ended':
      return {
        type: event.type,
        status: event.result?.status ?? 'not run',
        pictures: (event.result?.images ?? []).map(pictureId),
      };
    case 'tool-call-started': {
      const { type, callId, toolName, arguments: input } = event;
      return { type, callId, toolName, arguments: input };
    }
    case 'tool-call-ended': {
      const { type, callId, result, error } = event;
      return { type, callId, result, error: error?.message };
    }
    case 'approval-requested': {
      const { type, requestId, toolName, arguments: input, reason, expiresAtMs } = event;
      return { type, requestId, toolName, arguments: input, reason, expiresAtMs };
    }
    case 'approval-decided':
      return { type: event.type, requestId: event.requestId, decision: event.decision };
    case 'run-ended':
      return { type: event.type, text: event.result.text };
    default:
      return undefined;
  }
}

/**
 * The message for the user. The error's own message is for the log.
 * @param {string} code
 */
function explain(code) {
  switch (code) {
    case 'SANDBOX_LIMIT':
    case 'SESSION_HELD':
    case 'MODEL_OVERLOADED':
      return 'Too many people are asking just now. Try again in a minute.';
    case 'QUOTA_EXCEEDED':
      return 'You are running as many programs as allowed. Try again in a minute.';
    case 'TURN_LIMIT':
    case 'RUN_TIMEOUT':
      return 'This took too long and was stopped. Say how to continue.';
    case 'MODEL_CONTEXT_EXCEEDED':
      return 'This conversation is too long for the model. Start a new one.';
    case 'INPUT_INVALID':
      return 'A file cannot be used: its name is not allowed, or the files of this conversation are too large.';
    case 'MODEL_REFUSED':
      return 'The model declined to answer this.';
    case 'CLOSED':
      return 'The server is being restarted. Send a message in a minute to continue.';
    default:
      return 'Something went wrong here. Send a message to continue.';
  }
}
