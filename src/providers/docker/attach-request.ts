import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { CALL_DEADLINE_MS, withDeadline } from './deadline.ts';

/** The part of dockerode's own client that is used here. */
interface Dialer {
  dial(request: object, answer: (error: Error | null, connection: unknown) => void): void;
}

/**
 * Opens the two-way stream to a container's standard input and outputs, be it started or not.
 * @throws what the engine's client throws, or PtcError `SANDBOX_UNAVAILABLE` at the deadline.
 */
export async function openAttachStream(docker: Docker, containerName: string): Promise<Duplex> {
  return withDeadline('attach to a container', CALL_DEADLINE_MS, (abortSignal) =>
    requestStream(docker.modem, containerName, abortSignal),
  );
}

/**
 * Not by dockerode's `attach`, which sends its options as a body too: Podman takes that for the
 * first input.
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
  throw new TypeError('it opened no two-way stream; is there a proxy before it that cannot?');
}
