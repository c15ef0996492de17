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
import type { AnswerBuilder } from '../stream-answer.ts';
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
export class AnthropicAnswer implements AnswerBuilder<MessagesEvent> {
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: MessagesUsage = {};
  #stopReason = '';
  #stopDetails: JsonObject | undefined;
  #complete = false;

  get complete(): boolean {
    return this.#complete;
  }

  *take(event: MessagesEvent): Generator<ModelStreamPart> {
    const { type, index = 0, content_block: block, delta } = event;
    if (type === 'message_start') this.#count(event.message?.usage);
    else if (type === 'content_block_start' && block) yield* this.#open(index, block);
    else if (type === 'content_block_delta' && delta) yield* this.#extend(index, delta);
    else if (type === 'message_delta') {
      this.#stopReason = delta?.stop_reason ?? '';
      this.#stopDetails = toJsonObject(delta?.stop_details);
      this.#count(event.usage);
    } else if (type === 'message_stop') this.#complete = true;
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

  *#open(index: number, start: MessagesBlock): Generator<ModelStreamPart> {
    const { type, text = '', thinking = '', signature = '', id = '', name = '' } = start;
    const block: OpenBlock = { start, text: '', signature: '', json: '' };
    this.#blocks.set(index, block);
    if (type === 'text') {
      block.text = text;
      if (text !== '') yield { type: 'text-delta', text };
    } else if (type === 'thinking') {
      block.text = thinking;
      block.signature = signature;
      if (thinking !== '') yield { type: 'thinking-delta', text: thinking };
    } else if (type === 'tool_use') yield { type: 'tool-use-start', id, name };
  }

  *#extend(index: number, delta: MessagesDelta): Generator<ModelStreamPart> {
    const block = this.#blocks.get(index);
    if (block === undefined) throw unreadable(`a part of content block ${index} before its start`);
    const { type, text = '', thinking = '', signature = '', partial_json: json = '' } = delta;
    switch (type) {
      case 'text_delta':
        block.text += text;
        yield { type: 'text-delta', text };
        break;
      case 'thinking_delta':
        block.text += thinking;
        yield { type: 'thinking-delta', text: thinking };
        break;
      case 'signature_delta':
        block.signature = signature;
        break;
      case 'input_json_delta':
        block.json += json;
        if (block.start.type === 'tool_use') {
          yield { type: 'tool-input-delta', id: block.start.id ?? '', json };
        }
        break;
      default:
        // Additions to a block of a known type, such as a citation, are not needed to send it back.
        if (closeBlock(block).type === 'opaque') {
          throw unreadable('a part of an unknown type', delta);
        }
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
