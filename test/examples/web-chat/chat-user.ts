import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { ChatServer } from './chat-server.ts';

/** What the server answered. */
export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the server sent
  readonly body: any;
}

export interface ChatEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Asks as the page does. */
export class ChatUser {
  readonly #address: string;
  readonly #name: string;

  constructor({ address }: Pick<ChatServer, 'address'>, name: string) {
    this.#address = address;
    this.#name = name;
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await this.#fetch(path, {}));
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return answerOf(await this.#post(path, body));
  }

  /**
   * Announces a body of this size, and sends none of it.
   * @returns The status of the answer, which comes nevertheless if the body is not read.
   */
  async announce(path: string, bytes: number): Promise<number | undefined> {
    const headers = {
      'x-user': this.#name,
      'content-type': 'application/json',
      'content-length': bytes,
    };
    const asking = request(this.#address + path, { method: 'POST', headers });
    asking.flushHeaders();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    asking.destroy();
    return response.statusCode;
  }

  /** Starts a conversation. @returns its path. */
  async start(): Promise<string> {
    const { body } = await this.post('/conversations', { text: 'Hello.' });
    return `/conversations/${body.id}`;
  }

  /** Sends a message to the conversation of this path. */
  async say(conversation: string, text: string, files: readonly object[] = []): Promise<Reading> {
    const leaving = new AbortController();
    const path = `${conversation}/messages`;
    const response = await this.#post(path, { text, files }, leaving.signal);
    if (response.status !== 200) throw new Error(JSON.stringify(await answerOf(response)));
    return new Reading(response, leaving);
  }

  async #post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    return this.#fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  async #fetch(path: string, options: RequestInit): Promise<Response> {
    const headers = new Headers(options.headers);
    headers.set('x-user', this.#name);
    return fetch(this.#address + path, { ...options, headers });
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** An answer that is being read. */
export class Reading {
  readonly #events: AsyncGenerator<ChatEvent>;
  readonly #leaving: AbortController;

  constructor(response: Response, leaving: AbortController) {
    this.#events = eventsOf(response);
    this.#leaving = leaving;
  }

  /** Reads up to the next event of this type. */
  async until(type: string): Promise<ChatEvent> {
    const seen: string[] = [];
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done === true) throw new Error(`There was no ${type}, but ${seen.join(', ')}.`);
      if (value.type === type) return value;
      seen.push(JSON.stringify(value));
    }
  }

  /** Closes the connection. */
  leave(): void {
    this.#leaving.abort();
  }
}

async function* eventsOf(response: Response): AsyncGenerator<ChatEvent> {
  let rest = '';
  const chunks = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      if (part.startsWith('data: ')) yield JSON.parse(part.slice('data: '.length)) as ChatEvent;
    }
  }
}
