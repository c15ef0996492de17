import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';

/** The part of dockerode's HTTP client that is used here. */
interface Dialer {
  dial(request: object, answer: (error: Error | null, connection: unknown) => void): void;
}

/**
 * Opens a bidirectional stream to a container's standard input and outputs. The container need not
 * be started yet.
 * @throws what dockerode throws, PtcError `SANDBOX_UNAVAILABLE` at the deadline, or `ABORTED`.
 */
export async function openAttachStream(
  docker: Docker,
  containerName: string,
  signal?: AbortSignal,
): Promise<Duplex> {
  return withDeadline(
    'attach to a container',
    CALL_DEADLINE_MS,
    async (abortSignal) => requestStream(docker.modem, containerName, abortSignal),
    signal,
  );
}

/**
 * Does what dockerode's `attach` does, but without a request body. dockerode sends its options as a
 * body, which Podman takes as the first input of the container.
 */
async function requestStream(
  modem: Dialer,
  containerName: string,
  abortSignal: AbortSignal,
): Promise<Duplex> {
  const connection = await new Promise<unknown>((resolve, reject) => {
    const request = {
      method: 'POST',
      path: `/containers/${containerName}/attach?`,
      options: { stream: true, stdin: true, stdout: true, stderr: true },
      file: Buffer.alloc(0),
      hijack: true,
      isStream: true,
      statusCodes: { 101: true, 200: true, 404: 'no such container', 500: 'server error' },
      abortSignal,
    };
    modem.dial(request, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  if (connection instanceof Duplex) return connection;
  throw new TypeError(
    'it did not open a bidirectional stream; a proxy before it may not support that',
  );
}
