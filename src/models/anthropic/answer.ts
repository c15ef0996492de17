import { PtcError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { MessagesBlock, MessagesDelta, MessagesEvent, MessagesUsage } from './client.ts';
import type {
  AssistantBlock,
  ModelStreamEnd,
  ModelStreamPart,
  StopReason,
  TokenUsage,
} from '../language-model.ts';
import { sumByName, tierOf } from '../token-usage.ts';
import { parseToolInput, toJsonObject } from '../tool-input.ts';

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'max-tokens'],
  ['model_context_window_exceeded', 'context-window-exceeded'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
]);

/** A content block that is not complete yet. */
interface OpenBlock {
  readonly start: MessagesBlock;
  text: string;
  signature: string;
  json: string;
}

/** Assembles the events of a Messages API stream into one answer. */
export class AnthropicAnswer {
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: MessagesUsage = {};
  #stopReason = '';
  #stopDetails: JsonObject | undefined;
  #complete = false;

  /** Whether all of it has arrived. Until then, no part of it may be used. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Handles the next event. Returns the part of the stream that it leads to, if any. */
  take(event: MessagesEvent): ModelStreamPart | undefined {
    const { type, index = 0, content_block: block, delta } = event;
    switch (type) {
      case 'message_start':
        this.#count(event.message?.usage);
        return undefined;
      case 'content_block_start':
        return block && this.#open(index, block);
      case 'content_block_delta':
        return delta && this.#extend(index, delta);
      case 'message_delta':
        this.#stopReason = delta?.stop_reason ?? '';
        this.#stopDetails = toJsonObject(delta?.stop_details);
        this.#count(event.usage);
        return undefined;
      case 'message_stop':
        this.#complete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  end(): ModelStreamEnd {
    return {
      type: 'end',
      content: [...this.#blocks.values()].map(closeBlock),
      stopReason: STOP_REASONS.get(this.#stopReason) ?? 'unknown',
      rawStopReason: this.#stopReason,
      ...(this.#stopDetails === undefined ? {} : { stopDetails: this.#stopDetails }),
      usage: toUsage(this.#usage),
    };
  }

  /** The counts are cumulative. A later event leaves out counts that have not changed. */
  #count(usage: MessagesUsage | null | undefined): void {
    const changed = Object.entries(usage ?? {}).filter(([, count]) => count !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(changed) };
  }

  #open(index: number, start: MessagesBlock): ModelStreamPart | undefined {
    const { type, text = '', thinking = '', signature = '', id = '', name = '' } = start;
    const block: OpenBlock = { start, text: '', signature: '', json: '' };
    this.#blocks.set(index, block);
    switch (type) {
      case 'text':
        block.text = text;
        return text === '' ? undefined : { type: 'text-delta', text };
      case 'thinking':
        block.text = thinking;
        block.signature = signature;
        return thinking === '' ? undefined : { type: 'thinking-delta', text: thinking };
      case 'tool_use':
        return { type: 'tool-use-start', id, name };
      default:
        return undefined;
    }
  }

  #extend(index: number, delta: MessagesDelta): ModelStreamPart | undefined {
    const block = this.#blocks.get(index);
    if (block === undefined) throw unreadable(`a part of content block ${index} before its start`);
    const { type, text = '', thinking = '', signature = '', partial_json: json = '' } = delta;
    switch (type) {
      case 'text_delta':
        block.text += text;
        return { type: 'text-delta', text };
      case 'thinking_delta':
        block.text += thinking;
        return { type: 'thinking-delta', text: thinking };
      case 'signature_delta':
        block.signature = signature;
        return undefined;
      case 'input_json_delta':
        block.json += json;
        return block.start.type === 'tool_use'
          ? { type: 'tool-input-delta', id: block.start.id ?? '', json }
          : undefined;
      default:
        // Additions to a block of a known type, such as a citation, are not needed to send it back.
        if (closeBlock(block).type === 'opaque') {
          throw unreadable('a part of an unknown type', delta);
        }
        return undefined;
    }
  }
}

function toUsage(usage: MessagesUsage): TokenUsage {
  const written = usage.cache_creation_input_tokens ?? undefined;
  const read = usage.cache_read_input_tokens ?? 0;
  const byTtl = usage.cache_creation ?? undefined;
  return {
    inputTokens: (usage.input_tokens ?? 0) + (written ?? 0) + read,
    outputTokens: usage.output_tokens ?? 0,
    cachedInputTokens: read,
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    ...(byTtl === undefined ? {} : { cacheWritesByTtl: toWrites(byTtl) }),
    ...tierOf(usage.service_tier),
  };
}

function toWrites(byTtl: NonNullable<MessagesUsage['cache_creation']>): Record<string, number> {
  const { ephemeral_5m_input_tokens: short = 0, ephemeral_1h_input_tokens: long = 0 } = byTtl;
  return sumByName([
    ['5m', short],
    ['1h', long],
  ]);
}

function closeBlock({ start, text, signature, json }: OpenBlock): AssistantBlock {
  const { id = '', name = '', data = '' } = start;
  switch (start.type) {
    case 'text':
      return { type: 'text', text };
    case 'thinking':
      return { type: 'thinking', thinking: text, signature };
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', signature: '', redactedData: data };
    case 'tool_use':
      return { type: 'tool-use', id, name, input: inputOf(start, json) };
    default: {
      // Blocks of the service's own tools, and block types that it may add later.
      const value = toJsonObject(start) ?? {};
      return {
        type: 'opaque',
        value: json === '' ? value : { ...value, input: parseToolInput(json) ?? {} },
      };
    }
  }
}

function inputOf(start: MessagesBlock, json: string): JsonObject | undefined {
  return json === '' ? toJsonObject(start.input) : parseToolInput(json);
}

function unreadable(what: string, part?: unknown): PtcError {
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The model's answer has ${what}. Update sandboxed-ptc, or use the service without the feature that sends it.`,
    { details: { part } },
  );
}
