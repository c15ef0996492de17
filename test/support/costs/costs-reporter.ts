import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type FileCost, updateCosts } from './costs.ts';

const NOTHING: FileCost = { seconds: 0, processorSeconds: 0, sandboxes: 0 };

/** Writes what each test file cost into `costs.json`. */
export default class CostsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const measured = modules.map((module) => {
      // A file without a test that ran has no cost.
      const { cost = NOTHING } = module.meta();
      const path = relative(process.cwd(), module.moduleId);
      const { seconds, processorSeconds, sandboxes } = cost;
      const rounded = { seconds: round(seconds), processorSeconds: round(processorSeconds) };
      return [path, { ...rounded, sandboxes }] as const;
    });
    updateCosts(Object.fromEntries(measured));
  }
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}
