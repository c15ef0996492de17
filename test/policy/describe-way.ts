import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { policyGroups, suiteOfWay } from '../../src/testing/policy/policy-suite.ts';
import type { Way, WayParts, WayTool } from '../../src/testing/policy/way.ts';
import { describeSuite } from '../support/describe-suite.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { forgedCalls } from './forged-calls.ts';

/** Runs the policy suite, and in Python also programs that forge calls. */
export function describeWay(way: Way): void {
  const forged = way.language === 'python' ? [forgedCalls()] : [];
  describeSuite('policy suite', suiteOfWay(way, [...policyGroups(way), ...forged]));
}

/** Closes it with the way, before what was there earlier. */
export function closedWith<Closed extends { close(): Promise<unknown> }>(
  { onClose }: Pick<WayParts, 'onClose'>,
  it: Closed,
): Closed {
  onClose(async () => it.close());
  return it;
}

/** An executor with the tools of the suite, but not with its policy. */
export function executorOf(
  parts: Omit<WayParts, 'policy'>,
  options: SandboxExecutorOptions = {},
): SandboxExecutor {
  const { tools, audit, budgets } = parts;
  const provider = unisolatedLocalProvider();
  return closedWith(parts, new SandboxExecutor({ provider, tools, audit, budgets, ...options }));
}

/** The tools of the shop with their names in it, such as `pay`, and the others. */
export function splitTools(
  tools: readonly WayTool[],
): Readonly<Record<'goods' | 'others', WayTool[]>> {
  const isGood = ({ name }: WayTool): boolean => name.startsWith('shop:');
  return {
    goods: tools.filter(isGood).map((tool) => ({ ...tool, name: tool.name.replace('shop:', '') })),
    others: tools.filter((tool) => !isGood(tool)),
  };
}
