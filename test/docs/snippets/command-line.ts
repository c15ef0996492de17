import { Command } from 'commander';
import { vi } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';

/**
 * The parser of `sandboxed-ptc`, as `src/cli/main.ts` makes it, with commands that do nothing.
 * Its `parseAsync` rejects with a `CommanderError` for a command or an option that does not exist.
 */
export async function commandLineParser(): Promise<Command> {
  const parse = vi.spyOn(Command.prototype, 'parseAsync').mockResolvedValue(new Command());
  const ended = createDeferred<void>();
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => ended.resolve() as never);
  await import('../../../src/cli/main.ts');
  await ended.promise;
  const [parser] = parse.mock.contexts;
  parse.mockRestore();
  exit.mockRestore();
  if (!(parser instanceof Command)) throw new Error('src/cli/main.ts no longer calls parseAsync.');
  disarm(parser);
  return parser;
}

function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  for (const child of command.commands) disarm(child);
}
