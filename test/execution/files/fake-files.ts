import { FileRequests } from '../../../src/execution/files/file-requests.ts';
import { SandboxFiles } from '../../../src/execution/files/sandbox-files.ts';
import type { FileAnswerMessage, FileRequestMessage } from '../../../src/protocol/file-messages.ts';
import { FILE_PIECE_BYTES } from '../../../src/protocol/frames.ts';
import type { HostMessage } from '../../../src/protocol/messages.ts';

export type Answer = Partial<Omit<FileAnswerMessage, 'kind' | 'request_id'>>;

/** The files of a runner that answers as a test wants; undefined for no answer. */
export function filesOf(answer: (request: FileRequestMessage) => Answer | undefined): {
  readonly files: SandboxFiles;
  readonly requests: FileRequests;
  readonly sent: HostMessage[];
  readonly faults: Error[];
} {
  const sent: HostMessage[] = [];
  const faults: Error[] = [];
  const send = (message: HostMessage): void => {
    sent.push(message);
    if (message.kind !== 'file-request') return;
    const answered = answer(message);
    if (answered === undefined) return;
    const rest = { error: null, result: null, data: null, ...answered };
    queueMicrotask(() => {
      try {
        requests.answered({ kind: 'file-answer', request_id: message.request_id, ...rest });
      } catch (error) {
        faults.push(error as Error);
        requests.end(error as Error);
      }
    });
  };
  const requests = new FileRequests({ send }, (fault) => {
    faults.push(fault);
    requests.end(fault);
  });
  const files = new SandboxFiles(async () => requests);
  return { files, requests, sent, faults };
}

/** The size of a file of several pieces. */
export const LARGE = 5 * FILE_PIECE_BYTES + 1;
export const entry = { name: 'a', type: 'file', size: 1, modified_ms: 5 };

/** The piece of a large file that is asked for. */
export function pieceOfLarge({ offset, length }: { offset: number; length: number }): Answer {
  const data = Buffer.alloc(Math.min(length, LARGE - offset));
  return { result: { size: LARGE, is_last: offset + data.length >= LARGE }, data };
}

export function piece(bytes: number, isLast: boolean): Answer {
  return {
    result: { size: 0, is_last: isLast },
    data: Buffer.alloc(bytes),
  };
}

export function idOf(message: HostMessage | undefined): string {
  return message !== undefined && 'request_id' in message ? message.request_id : '';
}

export function answerTo(id: string): FileAnswerMessage {
  return { kind: 'file-answer', request_id: id, error: null, result: null, data: null };
}
