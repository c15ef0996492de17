import { once } from 'node:events';
import type Docker from 'dockerode';
import { throwIfAborted, unlessAborted } from '../../../shared/async/abort.ts';
import { openAttachStream } from './attach-request.ts';
import { StreamDemultiplexer } from './attach.ts';
import { createContainer, type CreateContainerOptions } from './container.ts';
import type { SandboxContainerOptions } from './container-config.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { asStartError } from '../engine/engine-error.ts';
import { ExitWatch } from './exit-watch.ts';
import { removeContainer } from './remove-container.ts';

/** Options of `runCommand`. */
export interface RunCommandOptions extends CreateContainerOptions {
  /** The most bytes of output. A command that prints more is ended. */
  readonly outputBytes: number;
}

/**
 * Runs a short command in a container like those of sandboxes, and returns its standard output.
 * Undefined if it failed, was killed or printed too much. The container is removed. A command that
 * takes longer than the engine's calls may is ended, and so is one whose signal fires.
 * @throws PtcError as `startContainer`.
 */
export async function runCommand(
  docker: Docker,
  config: SandboxContainerOptions,
  { engine, imageName, outputBytes, signal, left }: RunCommandOptions,
): Promise<string | undefined> {
  const container = docker.getContainer(config.name);
  let exit: ExitWatch | undefined;
  try {
    const created = await createContainer(docker, config, { engine, signal, left });
    exit = new ExitWatch(container);
    const connection = await openAttachStream(docker, config.name);
    const output: Buffer[] = [];
    let size = 0;
    let isWhole = true;
    const cutOff = (): void => {
      isWhole = false;
      connection.destroy();
    };
    const demultiplexer = new StreamDemultiplexer((stream, chunk) => {
      if (stream !== 'stdout') return;
      size += chunk.length;
      if (size > outputBytes) cutOff();
      else output.push(chunk);
    });
    connection.on('data', (chunk: Buffer) => {
      try {
        demultiplexer.push(chunk);
      } catch {
        cutOff();
      }
    });
    const ended = once(connection, 'close');
    ended.catch(() => {});
    await created.checked;
    throwIfAborted(signal);
    await withDeadline('run a command', CALL_DEADLINE_MS, async (abortSignal) => {
      await container.start({ abortSignal });
      await unlessAborted(ended, signal);
    });
    // A command whose output is cut off goes on, so its end is not waited for.
    if (!isWhole) return undefined;
    const failure = await unlessAborted(exit.reason(), signal);
    return failure === undefined ? Buffer.concat(output).toString('utf8') : undefined;
  } catch (error) {
    throw asStartError(error, imageName);
  } finally {
    exit?.stop();
    if (!(await removeContainer(container))) left.add(container);
  }
}
