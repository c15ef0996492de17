import { connectStreams } from '../protocol/stream-transport.ts';
import { throwIfAborted } from '../shared/async/abort.ts';
import { inBackground } from '../shared/async/background.ts';
import { settledWithin } from '../shared/async/settled-within.ts';
import { PtcError } from '../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { startChild } from './child-process.ts';
import type { ProviderCallOptions, Sandbox } from './sandbox.ts';

/** How long a process may take to end by itself after its input has ended. */
const SELF_END_MS = 2000;

/** How long to read the output of a process that has exited, if something that it started keeps it open. */
const OUTPUT_MS = 1000;

/** Options of `startProcess`. */
export interface ProcessOptions extends ProviderCallOptions {
  /**
   * All environment variables of the process. Those that are undefined are left out. The command is
   * searched in its `PATH`.
   * @default only the `PATH` of this process
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The working directory of the process, as an absolute path. @default `/` */
  readonly directory?: string;
}

export const PROCESS_OPTIONS: OptionsObject<ProcessOptions> = {
  of: 'startProcess',
  names: { environment: 'object', directory: 'text', signal: 'signal' },
  page: 'docs/writing-a-provider.md',
  otherWords: { env: 'environment', cwd: 'directory' },
};

/**
 * Starts a command on this machine whose standard input, output and error are those of a runner:
 * usually a program that isolates, followed by the command from `runnerCommand`. The function itself
 * isolates nothing.
 *
 * The id of the sandbox is that of the process. When the process exits, its process group is killed and
 * the transport ends, with `SANDBOX_LOST` if the status is not 0. `close` closes the input of the process,
 * at which a runner ends. After two seconds, it kills the process and its process group. The command
 * must end what it started outside of its process group, however it is ended itself.
 * @param command - The command and its arguments. No shell reads them.
 * @throws PtcError `SANDBOX_START_FAILED` if the command cannot be started, `OPTION_INVALID`, `ABORTED`.
 */
export async function startProcess(
  command: readonly string[],
  options: ProcessOptions = {},
): Promise<Sandbox> {
  checkOptionNames(options, PROCESS_OPTIONS);
  const { environment = { PATH: process.env['PATH'] }, directory = '/', signal } = options;
  throwIfAborted(signal);
  const started = await startChild(command, { environment, directory });
  const { child } = started;
  const transport = connectStreams(child);
  const end = async (status: number | null, name: NodeJS.Signals | null): Promise<void> => {
    const how = name ?? `status ${status}`;
    const error = new PtcError('SANDBOX_LOST', `The process of the sandbox ended (${how}).`);
    await settledWithin(started.ended, OUTPUT_MS);
    transport.end(status === 0 ? undefined : error);
  };
  child.once('exit', (status, name) => inBackground(end(status, name)));
  const sandbox: Sandbox = {
    id: String(child.pid),
    transport,
    async close() {
      transport.destroy();
      await started.kill(SELF_END_MS);
    },
  };
  if (signal?.aborted) await sandbox.close();
  throwIfAborted(signal);
  return sandbox;
}
