/** A request to end a command early. */
export interface Interruption extends Disposable {
  /** Fires when the user or the system ends the command. */
  readonly signal: AbortSignal;
  /** The exit status of the command then: 128 plus the number of the signal. */
  readonly exitStatus: number | undefined;
  /** Whether it ends because its output cannot be written. `main` reports that, if it is an error. */
  readonly isOutputLost: boolean;
}

const EXIT_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The exit status of a program whose reader has closed the pipe, as in `… | head`. */
const BROKEN_PIPE = 141;

export interface InterruptionOptions {
  /** Whether a closed standard error also ends the command. @default false */
  readonly needsErrorOutput?: boolean;
}

/**
 * Turns signals, and a closed standard output, into an `AbortSignal`, so that the command can close
 * its sandbox before it exits. Further signals have no effect: closing takes a limited time, and
 * interrupting it would leave a sandbox behind.
 */
export function watchInterruption({
  needsErrorOutput = false,
}: InterruptionOptions = {}): Interruption {
  const controller = new AbortController();
  let exitStatus: number | undefined;
  let isOutputLost = false;
  const interrupt = (status: number): void => {
    exitStatus ??= status;
    controller.abort();
  };
  const onSignal = (name: NodeJS.Signals): void => {
    interrupt(EXIT_STATUS[name as keyof typeof EXIT_STATUS]);
  };
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    isOutputLost = true;
    interrupt(error.code === 'EPIPE' ? BROKEN_PIPE : 1);
  };
  for (const name of Object.keys(EXIT_STATUS)) process.on(name, onSignal);
  process.stdout.on('error', onOutputError);
  if (needsErrorOutput) {
    process.stderr.on('error', (error: NodeJS.ErrnoException) => {
      // Nobody could be told of another failure.
      if (error.code === 'EPIPE') onOutputError(error);
    });
  }
  return {
    signal: controller.signal,
    get exitStatus() {
      return exitStatus;
    },
    get isOutputLost() {
      return isOutputLost;
    },
    [Symbol.dispose]: () => {
      for (const name of Object.keys(EXIT_STATUS)) process.off(name, onSignal);
    },
  };
}
