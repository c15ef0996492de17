import type { RequestOptions } from 'node:https';
import type { RawData, WebSocket } from 'ws';
import { messageOf } from '../../../shared/errors.ts';
import {
  type Channel,
  type ChannelListener,
  ChannelRefused,
  type OpenChannel,
} from '../streams/channel.ts';
import { ApiError } from './api-error.ts';
import type { Cluster } from './cluster.ts';
import { isUnknown } from './credentials.ts';

/** Where a command is started. */
export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

// Each message begins with a byte that says which stream it belongs to. See the API's documentation
// of `exec`, and `k8s.io/apimachinery/pkg/util/remotecommand`.
const STDIN = Buffer.from([0]);
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

const MOST_DIAGNOSTICS = 1000;
const LONGEST_REFUSAL = 64 * 1024;
const CLOSE_MS = 1000;

/** The reasons of an API server for which a right is missing, or which it gives for a while when it starts. */
const NOT_ALLOWED: ReadonlySet<string | undefined> = new Set(['Forbidden', 'Unauthorized']);

/**
 * Opens channels by starting a command in a container, over the standard streams of the command. If
 * that is not allowed the first time, another attempt is in vain. Later it is not: an API server that
 * starts forbids for a while what it allows afterwards.
 */
export function execChannel(cluster: Cluster, target: ExecTarget): OpenChannel {
  const { namespace, pod, container, command } = target;
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true' });
  for (const word of command) query.append('command', word);
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec`;
  const url = `${cluster.server.replace(/^http/, 'ws')}${path}?${query.toString()}`;
  const openOnce: OpenChannel = async (listener, signal) => {
    const { WebSocket: Socket } = await import('ws');
    const connect = async (credentials: RequestOptions): Promise<Channel> => {
      signal.throwIfAborted();
      // Compression would only cost time: what is sent is short, or not worth it.
      const socket = new Socket(url, PROTOCOLS, { ...credentials, perMessageDeflate: false });
      const channel = new ExecChannel(socket, listener);
      await opened(socket, `GET ${path}`, signal);
      return channel;
    };
    const credentials = await cluster.credentials.current(signal);
    try {
      return await connect(credentials);
    } catch (error) {
      if (!(error instanceof ApiError && isUnknown(error.status, credentials))) throw error;
      const others = await cluster.credentials.renew(credentials, signal);
      if (others === undefined) throw error;
      return connect(others);
    }
  };
  let wasAllowed = false;
  return async (listener, signal) => {
    try {
      const channel = await openOnce(listener, signal);
      wasAllowed = true;
      return channel;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { reason, message } = error;
      const isFinal = reason === 'NotFound' || (!wasAllowed && NOT_ALLOWED.has(reason));
      throw isFinal ? new ChannelRefused(message, { cause: error }) : error;
    }
  };
}

async function opened(socket: WebSocket, request: string, signal: AbortSignal): Promise<void> {
  const onAbort = (): void => socket.terminate();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body = (body + text).slice(0, LONGEST_REFUSAL);
        });
        // Also if it is cut before its end.
        response.once('close', () => {
          reject(new ApiError(request, response.statusCode ?? 0, body));
        });
      });
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class ExecChannel implements Channel {
  readonly #socket: WebSocket;
  /** What the command, or the kubelet, says of its end. */
  #diagnostics = '';

  constructor(socket: WebSocket, listener: ChannelListener) {
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data: RawData) => {
      const bytes = data as Buffer;
      const stream = bytes[0];
      if (stream === STDOUT) listener.data(bytes.subarray(1));
      else if (stream === STDERR || stream === STATUS) this.#note(bytes.subarray(1));
    });
    let failure: Error | undefined;
    socket.on('error', (error) => (failure = error));
    const onClose = (code: number, reason: Buffer): void => {
      const why = [failure && messageOf(failure), reason.toString(), this.#diagnostics.trim()];
      const text = why.filter(Boolean).join('; ');
      listener.closed(new Error(`the connection to the pod ended (${code})${text && `: ${text}`}`));
    };
    // What was never open may be opened with other credentials.
    socket.once('open', () => socket.once('close', onClose));
  }

  write(bytes: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(Buffer.concat([STDIN, bytes]));
  }

  close(): void {
    this.#socket.close();
    // A server that is gone does not answer.
    setTimeout(() => this.#socket.terminate(), CLOSE_MS).unref();
  }

  #note(bytes: Buffer): void {
    this.#diagnostics = (this.#diagnostics + bytes.toString()).slice(0, MOST_DIAGNOSTICS);
  }
}
