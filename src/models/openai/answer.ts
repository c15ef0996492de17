import { Buffer } from 'node:buffer';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { PtcError } from '../../shared/errors.ts';
import type {
  AssistantBlock,
  ModelStreamEnd,
  ModelStreamPart,
  StopReason,
} from '../language-model.ts';
import type { AnswerBuilder } from '../shared/stream-answer.ts';
import { newCallId } from '../new-call-id.ts';
import { tierOf } from '../token-usage.ts';
import { tooLarge } from '../shared/answer-limits.ts';
import { parseToolInput, toJsonObject } from '../shared/tool-input.ts';
import { OpenCall } from './open-call.ts';
import { returnedBlock, THINKING_FIELDS, type ThinkingField } from './returned-fields.ts';

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  // Together's, for some models.
  ['eos', 'end'],
  ['tool_calls', 'tool-use'],
  ['function_call', 'tool-use'],
  ['length', 'max-tokens'],
  ['content_filter', 'refusal'],
]);

/** Signatures have some kilobytes. They stay in the conversation. */
const MAX_EXTRA_BYTES = 1024 * 1024;

type Choice = ChatCompletionChunk.Choice;
type ToolCallDelta = ChatCompletionChunk.Choice.Delta.ToolCall;

/** Other services send more than OpenAI. */
type Thinking = Readonly<Partial<Record<ThinkingField, string | null>>>;
interface CallExtra {
  readonly extra_content?: unknown;
}

/** Assembles the chunks of a Chat Completions stream into one answer. */
export class OpenAIAnswer implements AnswerBuilder<unknown> {
  readonly #calls: OpenCall[] = [];
  /** The last call of each index. */
  readonly #open: Map<number, OpenCall> = new Map();
  readonly #thinking: Map<ThinkingField, string> = new Map();
  #text = '';
  #extraBytes = 0;
  #refused = false;
  #usage: Partial<NonNullable<ChatCompletionChunk['usage']>> = {};
  #serviceTier: unknown;
  #finishReason = '';
  readonly #model: string;
  readonly #service: () => string;

  /** @param service - The host of the service, once it is known. */
  constructor(model: string, service: () => string) {
    this.#model = model;
    this.#service = service;
  }

  get complete(): boolean {
    return this.#finishReason !== '';
  }

  /** The client does not pass on the event `[DONE]`, which follows the usage. */
  get ended(): boolean {
    return this.complete && this.#usage.completion_tokens !== undefined;
  }

  *take(chunk: unknown): Generator<ModelStreamPart> {
    // Any field may be missing, because services differ.
    const { choices, usage, service_tier: serviceTier } = chunk as Partial<ChatCompletionChunk>;
    // Usage comes last, in its own chunk. Some services send the current usage in every chunk.
    this.#usage = usage ?? this.#usage;
    this.#serviceTier = serviceTier ?? this.#serviceTier;
    const { delta, finish_reason: finishReason }: Partial<Choice> = choices?.[0] ?? {};
    const thoughts = (delta ?? {}) as Thinking;
    const field = THINKING_FIELDS.find((name) => thoughts[name]);
    const thought = field && textOf(thoughts[field], field);
    if (field && thought) {
      this.#thinking.set(field, `${this.#thinking.get(field) ?? ''}${thought}`);
      yield { type: 'thinking-delta', text: thought };
    }
    if (delta?.refusal) this.#refused = true;
    for (const text of [textOf(delta?.content, 'content'), delta?.refusal]) {
      if (!text) continue;
      this.#text += text;
      yield { type: 'text-delta', text };
    }
    for (const call of delta?.tool_calls ?? []) yield* this.#extendCall(call);
    this.#finishReason = finishReason || this.#finishReason;
  }

  end(): ModelStreamEnd {
    const calls = this.#calls.map(({ id, name, json }): AssistantBlock => ({
      type: 'tool-use',
      id,
      name,
      input: parseToolInput(json),
    }));
    const { cached_tokens: cached, cache_write_tokens: written } =
      this.#usage.prompt_tokens_details ?? {};
    const returned = {
      service: this.#service(),
      thinking: this.#thinking,
      extras: this.#calls.map(({ extra }) => extra),
    };
    return {
      type: 'answer-ended',
      content: [
        // Services want them back with the result of a call, and some refuse them otherwise.
        ...(calls.length === 0 ? [] : returnedBlock(returned)),
        ...(this.#text === '' ? [] : [{ type: 'text', text: this.#text } as const]),
        ...calls,
      ],
      stopReason: this.#stopReason(),
      rawStopReason: this.#finishReason,
      usage: {
        inputTokens: this.#usage.prompt_tokens ?? 0,
        outputTokens: this.#usage.completion_tokens ?? 0,
        cachedInputTokens: cached ?? 0,
        ...(typeof written === 'number' ? { cacheWriteInputTokens: written } : {}),
        ...tierOf(this.#serviceTier),
      },
    };
  }

  /** Some services return `stop` with a tool call in the answer, or `tool_calls` without one. */
  #stopReason(): StopReason {
    if (this.#refused) return 'refusal';
    const reason = STOP_REASONS.get(this.#finishReason) ?? 'unknown';
    if (reason !== 'end' && reason !== 'tool-use') return reason;
    return this.#calls.length > 0 ? 'tool-use' : 'end';
  }

  *#extendCall(delta: ToolCallDelta): Generator<ModelStreamPart> {
    const index = delta.index ?? 0;
    const name = delta.function?.name;
    const json = textOf(delta.function?.arguments, 'a tool input');
    let call = this.#open.get(index);
    if (call === undefined || (name && isOther(call, name, delta.id, json))) {
      if (!name) throw unreadable('a part of a tool call before its name', delta);
      // Some services return no id, but the result must have one.
      call = new OpenCall(delta.id || newCallId(), name);
      this.#calls.push(call);
      this.#open.set(index, call);
      yield { type: 'tool-use-started', id: call.id, name };
    }
    const extra = toJsonObject((delta as CallExtra).extra_content);
    if (call.extra === undefined && extra !== undefined) {
      this.#extraBytes += Buffer.byteLength(JSON.stringify(extra));
      if (this.#extraBytes > MAX_EXTRA_BYTES) {
        throw tooLarge(this.#model, 'extra_content of its calls has', MAX_EXTRA_BYTES);
      }
      call.extra = extra;
    }
    if (json === '') return;
    call.add(json);
    yield { type: 'tool-input-delta', id: call.id, json };
  }
}

/**
 * Whether a part with a name begins another call than the open one of its index. Some services use
 * one index for all calls, also without ids, and some repeat the name in each part of a call.
 */
function isOther(open: OpenCall, name: string, id: string | undefined, json: string): boolean {
  if (id) return id !== open.id;
  return name !== open.name || (open.isWhole && json.trim() !== '');
}

function textOf(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw unreadable(`${what} that is not text`, value);
}

function unreadable(what: string, part: unknown): PtcError {
  return new PtcError(
    'MODEL_REQUEST_FAILED',
    `The model's answer has ${what}, and cannot be used. Use a model or settings without it.`,
    { details: { part } },
  );
}
