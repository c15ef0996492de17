import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { updateCosts } from './costs.ts';

/** Writes what each test file cost into `costs.json`. */
export default class CostsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const measured = modules.flatMap((module) => {
      const { cost } = module.meta();
      if (cost === undefined) return [];
      const path = relative(process.cwd(), module.moduleId);
      const { seconds, processorSeconds, sandboxes } = cost;
      const rounded = { seconds: round(seconds), processorSeconds: round(processorSeconds) };
      return [[path, { ...rounded, sandboxes }] as const];
    });
    updateCosts(Object.fromEntries(measured));
  }
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}
