import { Semaphore } from '../../shared/async/semaphore.ts';
import { checkCount } from '../../shared/options/option-values.ts';
import { CallDeadline, type TimeLimits } from './call-deadline.ts';
import type { Tool, ToolContext, ToolProgress } from '../tool.ts';

/** What a definition says about how it runs. */
interface Runnable<Context> {
  readonly concurrency?: number;
  run(input: unknown, context: ToolContext<Context>): unknown;
}

/** The definition's `run` as an async function that limits how many calls run at a time. */
export function limitedRun<Context>(
  definition: Runnable<Context>,
  limits: TimeLimits,
): Tool<Context>['run'] {
  const { concurrency } = definition;
  const run = async (input: unknown, context: ToolContext<Context>): Promise<unknown> =>
    definition.run(input, context);
  if (concurrency === undefined) return run;
  checkCount('concurrency', concurrency, 1);
  const places = new Semaphore(concurrency);
  // A call no longer waits when its signal fires. A running call counts until it ends or its time
  // is up: a program can cause the signal to fire, and a tool may ignore it.
  return async (input, context) => {
    const { signal, tenant } = context;
    signal.throwIfAborted();
    const turn = places.take(signal, tenant);
    if (turn !== undefined && !(await turn)) throw signal.reason;
    try {
      return await withinTime((watched) => run(input, watched), context, limits);
    } finally {
      places.release();
    }
  };
}

/** Settles like the work, or rejects when its time is up. */
async function withinTime<Context>(
  work: (context: ToolContext<Context>) => Promise<unknown>,
  context: ToolContext<Context>,
  limits: TimeLimits,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const deadline = new CallDeadline(limits, (reason) => reject(new Error(reason)));
    // The caller has its own time limit.
    deadline.unref();
    const progress = (report: ToolProgress): void => {
      context.progress(report);
      deadline.move();
    };
    work(withProgress(context, progress))
      .then(resolve, reject)
      .finally(() => deadline.end());
  });
}

/** A copy of a context with another `progress`. Its getters stay: the tool may never read them. */
function withProgress<Context>(
  context: ToolContext<Context>,
  progress: (report: ToolProgress) => void,
): ToolContext<Context> {
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(context),
      progress: { value: progress, enumerable: true },
    },
  ) as ToolContext<Context>;
}
