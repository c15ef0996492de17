import type { JsonObject } from '../../src/shared/json/json.ts';

/** A content block of an answer in the format of the Messages API. */
export type WireBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
    };

/** A complete answer in the format of the Messages API. */
export interface WireAnswer {
  readonly id: string;
  readonly model: string;
  readonly content: readonly WireBlock[];
  readonly stopReason: string;
  readonly usage: WireUsage;
}

interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** One server-sent event of the Messages API. */
export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * How many characters each delta contains. Few, so that readers must assemble them as with the
 * service.
 */
const PIECE_LENGTH = 16;

/** Yields the events of an answer in parts, in the order of the Messages API. */
export function* messageEvents(answer: WireAnswer): Generator<WireEvent> {
  const { id, model, content, stopReason, usage } = answer;
  yield {
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  };
  yield { type: 'ping' };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) };
    for (const delta of deltas(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  };
  yield { type: 'message_stop' };
}

/** The text of an event as it is sent. */
export function formatEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The block of a start event: the fields that arrive in deltas are empty. */
function emptied(block: WireBlock): WireBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
}

function* deltas(block: WireBlock): Generator<WireEvent> {
  switch (block.type) {
    case 'text':
      for (const text of pieces(block.text)) yield { type: 'text_delta', text };
      break;
    case 'thinking':
      for (const thinking of pieces(block.thinking)) yield { type: 'thinking_delta', thinking };
      yield { type: 'signature_delta', signature: block.signature };
      break;
    case 'tool_use':
      for (const partial_json of pieces(JSON.stringify(block.input))) {
        yield { type: 'input_json_delta', partial_json };
      }
      break;
    default:
      break;
  }
}

/** Splits between code points, because half of a surrogate pair is not valid text. */
function* pieces(text: string): Generator<string> {
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += PIECE_LENGTH) {
    yield points.slice(at, at + PIECE_LENGTH).join('');
  }
}
