import { describe, expect, it } from 'vitest';
import { denoCommand } from '../../../src/providers/embedded/deno/deno-command.ts';
import {
  embeddedSecurity,
  type ProcessFacts,
} from '../../../src/providers/embedded/security-report.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

function commandOn(platform: NodeJS.Platform): ReturnType<typeof denoCommand> {
  const paths = { denoPath: '/opt/deno', supervisorPath: '/opt/supervisor.mjs' };
  return denoCommand({ ...paths, limits: DEFAULT_LIMITS, platform });
}

const command = commandOn('linux');

/** What the system says of a process that runs as it was started. */
const facts: ProcessFacts = {
  // The shell has made way for Deno.
  args: command.args.slice(command.args.indexOf('/opt/deno')),
  environmentNames: [...Object.keys(command.env), 'PWD'],
  dataLimitBytes: 2 ** 31,
};

function missing(changes: Partial<ProcessFacts>): string[] {
  return embeddedSecurity(command, { ...facts, ...changes })
    .protections.filter(({ holds }) => !holds)
    .map(({ missing: sentence }) => sentence);
}

describe('the protections of an embedded sandbox', () => {
  it('hold if its process runs as it was started [embedded/permissions]', () => {
    expect(missing({})).toEqual([]);
  });

  it.each<[string, Partial<ProcessFacts>, string]>([
    [
      'a permission',
      { args: facts.args.filter((flag) => flag !== '--deny-net') },
      'a permission is not denied',
    ],
    [
      'the rule that nothing is asked for',
      { args: facts.args.filter((flag) => flag !== '--no-prompt') },
      'a permission is not denied',
    ],
    ['the environment', { environmentNames: ['HOME', 'NO_COLOR'] }, 'it has HOME'],
    ['the kernel’s limit', { dataLimitBytes: undefined }, 'the kernel does not limit its memory'],
  ])('are told as missing: %s', (_what, changes, sentence) => {
    expect(missing(changes)).toEqual([sentence]);
  });

  it('are reported as missing if options of V8 are missing', () => {
    const args = facts.args.filter((flag) => !flag.startsWith('--v8-flags'));
    expect(missing({ args })).toEqual([
      'memory has no limit',
      'JavaScript can make code from text',
    ]);
  });

  it('are not reported if the system does not report how a process runs', () => {
    const { protections, notes } = embeddedSecurity(commandOn('darwin'), undefined);
    expect(new Set(protections.map(({ applied }) => applied))).toEqual(new Set([undefined]));
    expect(protections.map(({ name }) => name)).not.toContain('process limits');
    expect(notes).toContain(
      'On this system, the kernel does not limit its memory; only the measurement does.',
    );
  });

  it('are fewer than those of a container, and the report says which are missing [compared/system-calls, embedded/no-filter, embedded/processor]', () => {
    const { notes } = embeddedSecurity(command, facts);
    expect(notes.join(' ')).toMatch(/No filter of system calls.*namespaces.*processor time/);
  });
});
