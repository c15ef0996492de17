import { decodeLine } from '../../src/protocol/frames.ts';
import type { HostMessage, RunnerMessage } from '../../src/protocol/messages.ts';
import type { JsonValue } from '../../src/shared/json/json.ts';
import type { Transport, TransportListener } from '../../src/protocol/transport.ts';

/**
 * A runner in memory that says whatever a test wants, at any time. The right stand-in here: no real
 * runner can be made to break the protocol on demand, and what a sandbox could say is under test.
 */
export class FakeRunner implements Transport {
  /** What the host sent. */
  readonly received: HostMessage[] = [];
  /** Whether the host cut the connection. */
  destroyed = false;
  /** What it printed before it was ready. */
  printed = '';
  /** Set it to a promise to read nothing until that settles. */
  taken: Promise<void> | undefined;
  /** Hears of what the host sends. */
  onMessage: (message: HostMessage) => void = () => {};
  #listener: TransportListener | undefined;

  listen(listener: TransportListener): void {
    this.#listener = listener;
  }

  send(message: HostMessage): void {
    this.received.push(message);
    this.onMessage(message);
  }

  diagnostics(): string {
    return this.printed;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** Says something to the host. */
  say(...messages: readonly RunnerMessage[]): void {
    for (const message of messages) this.#listener?.message(message, lineOf(message));
  }

  /** Sends a frame, which must be a right one, on standard error. */
  sayLine(line: Buffer): void {
    const message = decodeLine(line, 'stderr');
    if (message.kind !== 'noise') this.#listener?.message(message, line);
  }

  /** Goes away. */
  end(error?: Error): void {
    this.#listener?.closed(error);
  }
}

/** The frame of a message; of other messages than calls, the host looks at its size alone. */
function lineOf(message: RunnerMessage): Buffer {
  const { kind, ...body } = message;
  const json = JSON.stringify(body);
  return Buffer.from(kind === 'tool-call' ? `__PTC_TOOL_CALL__${json}__PTC_END_CALL__` : json);
}

export function ready(protocol = 1): RunnerMessage {
  return { kind: 'ready', protocol, language: 'python', version: '3.13.5' };
}

export function configured(version: string | null, language = 'typescript'): RunnerMessage {
  return { kind: 'configured', language, version };
}

export function attached(attachId = ''): RunnerMessage {
  return { kind: 'attached', attach_id: attachId, executions: 0, interrupted: false };
}

export function printed(text: string, executionId = '1', omittedBytes = 0): RunnerMessage {
  return {
    kind: 'output-delta',
    execution_id: executionId,
    stream: 'stdout',
    text,
    omitted_bytes: omittedBytes,
  };
}

export function handedBack(value: JsonValue, executionId = '1'): RunnerMessage {
  return { kind: 'value', execution_id: executionId, value };
}

/** A part of an image, by default all of it. */
export function image(data: string, last = true): RunnerMessage {
  return { kind: 'image', execution_id: '1', data, last };
}

export function toolCall(
  callId: string,
  toolName: string,
  args: Extract<RunnerMessage, { kind: 'tool-call' }>['arguments'] = {},
  executionId = '1',
): RunnerMessage {
  return {
    kind: 'tool-call',
    execution_id: executionId,
    call_id: callId,
    tool_name: toolName,
    arguments: args,
  };
}

export function outcome(
  changes: Partial<Extract<RunnerMessage, { kind: 'outcome' }>> = {},
): RunnerMessage {
  return {
    kind: 'outcome',
    execution_id: '1',
    success: true,
    value: null,
    error: null,
    exit_code: 0,
    interpreter_end: null,
    outputs: null,
    ...changes,
  };
}
