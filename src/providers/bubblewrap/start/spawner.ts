import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_DIRECTORY } from '../../../sandbox/runner-command.ts';
import { inBackground } from '../../../shared/async/background.ts';
import { SharedTask } from '../../../shared/async/shared-task.ts';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { readOwnFiles } from '../../../shared/installation.ts';
import type { SpawnedProcess } from './spawned-process.ts';
import { SpawnerProcess, type SpawnRequest } from './spawner-process.ts';

const PROGRAM = join(PACKAGE_DIRECTORY, 'runner/spawner/spawner.py');

/**
 * How long an idle spawner is kept. In a large host, starting the next one takes tens of
 * milliseconds.
 */
const IDLE_MS = 1000;

/**
 * Starts processes by a `SpawnerProcess`, which ends one second after the last of them, or when
 * this is closed.
 */
export class Spawner {
  readonly #command: readonly string[];
  readonly #source = new SharedTask(async () =>
    readOwnFiles(async () => readFile(PROGRAM, 'utf8')),
  );
  #process: SpawnerProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param command - The command of each process. */
  constructor(command: readonly string[]) {
    this.#command = command;
  }

  /** Starts the spawner in advance. */
  prepare(): void {
    // A failure is reported to the caller who starts a process.
    inBackground(
      this.#living().then(
        () => this.#endSoon(),
        () => {},
      ),
    );
  }

  /** @throws PtcError `SANDBOX_START_FAILED`, `INSTALLATION_INCOMPLETE` */
  async start(request: SpawnRequest): Promise<SpawnedProcess> {
    const spawner = await this.#living();
    return spawner.start(request);
  }

  /**
   * Keeps no spawner for later processes. If no sandbox lives, returns when the spawner has ended.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const spawner = this.#process;
    this.#endIfIdle();
    if (spawner?.isIdle()) await spawner.ended;
  }

  async #living(): Promise<SpawnerProcess> {
    const source = await this.#source.result(undefined);
    if (this.#process?.isAlive()) return this.#process;
    try {
      return (this.#process = new SpawnerProcess(source, this.#command, () => this.#endSoon()));
    } catch (cause) {
      const message = `The process that starts sandboxes (python3) cannot be started: ${messageOf(cause)}`;
      throw new PtcError('SANDBOX_START_FAILED', message, { cause });
    }
  }

  #endSoon(): void {
    if (this.#isClosed) return this.#endIfIdle();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#endIfIdle(), IDLE_MS).unref();
  }

  #endIfIdle(): void {
    if (!this.#process?.isIdle()) return;
    this.#process.end();
    this.#process = undefined;
  }
}
