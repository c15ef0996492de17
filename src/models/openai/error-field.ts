import { Buffer } from 'node:buffer';
import { isRecord } from '../../shared/guards.ts';
import type { Fetch } from '../shared/bounded-fetch.ts';

/**
 * Returns a `fetch` for the client, which reads only the field `error` of an error's body, and forgets the rest. Some services
 * have the message elsewhere: FastAPI in `detail`, older versions of vLLM in `message`, and Gemini sends a list.
 */
export function withErrorField(send: Fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const { ok, body, status, statusText, headers } = response;
    if (ok || body === null) return response;
    return new Response(body.pipeThrough(inErrorField()), { status, statusText, headers });
  };
}

/** The client reads the body only if it gives up, so that what is wrong with a body costs no retry. */
function inErrorField(): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk) => void chunks.push(chunk),
    flush: (controller) => {
      controller.enqueue(Buffer.from(withField(Buffer.concat(chunks).toString())));
    },
  });
}

function withField(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return JSON.stringify(isRecord(body) && body['error'] ? body : { error: body });
  } catch {
    // The client shows text that is not JSON.
    return text;
  }
}
