import { describe } from 'vitest';
import { describeApprovals } from './approvals.ts';
import { describeAsyncio } from './asyncio.ts';
import { describeBudgets } from './budgets.ts';
import { describeErrors } from './errors.ts';
import { describeInterpreterEnds } from './interpreter-ends.ts';
import { describeKnownFailures } from './known-failures.ts';
import { describeLimits } from './limits.ts';
import { describePendingWork } from './pending-work.ts';
import { describeMultiprocessing } from './multiprocessing.ts';
import { describePrinting } from './printing.ts';
import { describePrograms } from './programs.ts';
import { describeThreads } from './threads.ts';
import { describeValues } from './values.ts';
import { describeWaiting } from './waiting.ts';
import { describeToolOutcomes } from './tool-outcomes.ts';
import { describeTools } from './tools.ts';
import { describeSessions } from './sessions.ts';
import type { Subject } from './subject.ts';

/** What every place that runs programs must do alike. */
export function describeContract(subject: Subject): void {
  describe(`contract: ${subject.name}`, () => {
    describePrograms(subject);
    describePrinting(subject);
    describeValues(subject);
    describeAsyncio(subject);
    describeWaiting(subject);
    describePendingWork(subject);
    describeErrors(subject);
    describeTools(subject);
    describeToolOutcomes(subject);
    describeApprovals(subject);
    describeThreads(subject);
    describeMultiprocessing(subject);
    describeLimits(subject);
    describeBudgets(subject);
    describeInterpreterEnds(subject);
    describeSessions(subject);
    describeKnownFailures(subject);
  });
}
