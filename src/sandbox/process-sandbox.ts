import { connectStreams } from '../protocol/stream-transport.ts';
import { throwIfAborted } from '../shared/async/abort.ts';
import { PtcError } from '../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { startChild } from './child-process.ts';
import type { ProviderCallOptions, Sandbox } from './sandbox.ts';

/** How long a process may take to end by itself after its input has ended. */
const SELF_END_MS = 2000;

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
 * The id of the sandbox is that of the process. If the process ends with a status other than 0, the
 * transport ends with `SANDBOX_LOST`. `close` closes the input of the process, at which a runner
 * ends. After two seconds, it kills the process and its process group. The command must end
 * everything that it started, however it is ended itself.
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
  child.once('close', (status: number | null, name: NodeJS.Signals | null) => {
    const end = name ?? `status ${status}`;
    const error = new PtcError('SANDBOX_LOST', `The process of the sandbox ended (${end}).`);
    transport.end(status === 0 ? undefined : error);
  });
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
