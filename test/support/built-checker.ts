import { dirname, join } from 'node:path';
import type * as CheckerCommand from '../../src/languages/type-check/checker-command.ts';
import { requireBuild } from './built-package.ts';

/**
 * For `vi.mock` of `checker-command.ts`: the compiler's process is that of the built package, since Node 20 runs no
 * TypeScript.
 */
export async function useBuiltChecker(
  load: () => Promise<typeof CheckerCommand>,
): Promise<typeof CheckerCommand> {
  requireBuild();
  const original = await load();
  return {
    ...original,
    checkerCommand: () => {
      const command = original.checkerCommand();
      const source = String(command.args.at(-1));
      const built = dirname(source).replace(/src(?=.languages.type-check.compiler$)/, 'dist');
      return { ...command, args: [...command.args.slice(0, -1), join(built, 'checker-main.js')] };
    },
  };
}
