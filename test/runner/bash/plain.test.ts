import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useBash } from '../../support/bash-bench.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

const { run, print } = useBash(unisolatedLocalProvider);

/** What bash does with this text as a script, called as the product calls it. */
async function runPlainly(code: string): Promise<object> {
  const directory = await mkdtemp(join(tmpdir(), 'plain-bash-'));
  try {
    await writeFile(join(directory, 'bash'), code);
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', 'bash'], {
      cwd: directory,
      input: '',
      encoding: 'utf8',
    });
    return { exitCode: status, stdout, stderr };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Each with what it is about. */
const PROGRAMS: Record<string, readonly string[]> = {
  'leaves loops': [
    'for i in 1 2 3; do break 5; done; echo after',
    'for i in 1 2; do continue 9; done; echo after',
    'break; echo "after $?"',
    'continue; echo "after $?"',
    'while :; do break 0; done; echo "after $?"',
    '. <(echo break) 2>/dev/null; echo after',
    'for i in 1 2; do f() { break; }; f; echo $i; done',
  ],
  'sets, lists and removes traps': [
    'trap "echo D" DEBUG; :; trap - DEBUG; echo x; trap -p DEBUG',
    'trap "echo D" DEBUG; f() { trap - DEBUG; :; }; f; echo x',
    'set -T; trap "echo D" DEBUG; f() { echo in; }; f; trap - DEBUG; f; trap',
    'n=0; trap "((n++))" DEBUG\n:\n:\necho $n',
    'trap "echo E \\$BASH_COMMAND" ERR; false; trap - ERR; false; trap -p ERR; echo end',
    'trap "echo E" ERR; f() { trap - ERR; false; :; }; f; false; echo x',
    'f() { trap "echo E" ERR; }; f; false; trap -p ERR',
    '(trap "echo E" ERR; false; trap - ERR; false; trap -p ERR); echo out',
    'trap "echo R" RETURN; f() { :; }; f; trap -p RETURN; trap - RETURN; trap',
    'f() { trap "echo R" RETURN; echo in; }; f; g() { :; }; g; echo x',
    `trap "echo 'quoted'" EXIT ERR; trap -p; trap -p ERR; trap -p NO_SUCH; echo $?`,
    'trap "echo a" EXIT; trap EXIT; trap "echo b" INT; trap 2; trap; echo c',
    'trap foo NO_SUCH; echo $?\ntrap -x; echo $?',
    'trap "echo bye \\$? \\$LINENO" EXIT\n(exit 7)',
    'set -e; trap "echo bye \\$?; false; echo no" EXIT; false',
    'set -u; trap "echo bye \\$?" EXIT; echo $no_such_variable',
    `trap "echo one; trap 'echo two' EXIT" EXIT`,
    'set -o posix; trap "echo x" EXIT; echo a',
    'shopt -s extdebug; trap "false" DEBUG; echo skipped',
  ],
  'has functions and aliases named like commands of bash': [
    'eval() { echo my eval; }; eval x',
    'exec() { echo my exec; }; exec ls',
    'builtin() { echo my builtin; }; builtin x',
    'command() { echo my command; }; command x',
    'set() { :; }; unset() { :; }; read() { :; }; printf() { :; }; trap() { :; }; echo x',
    'shopt -s expand_aliases; alias builtin=echo command=false unset=false eval=echo\necho x',
  ],
  'asks for its name': [
    'echo "$0 ${BASH_SOURCE[@]} $-"; [[ ${BASH_SOURCE[0]} == "$0" ]] && echo main',
    'set -u; main() { echo main; }; if [[ "${BASH_SOURCE[0]}" == "${0}" ]]; then main; fi',
    'f() {\n  caller 0; no_such_command\n}\nf',
    'f() { echo "${FUNCNAME[@]} ${BASH_SOURCE[@]} ${BASH_LINENO[@]}"; }\nf',
    'echo $LINENO\nf() {\n  echo $LINENO; }\n\nf; eval "\necho \\$LINENO"',
  ],
  'ends early': [
    'echo ${no_such_variable?is unset}; echo no',
    'set -u; echo a\necho $no_such_variable\necho no',
    'echo a\nset -n\necho no',
    'set -eo noexec\necho no',
    'return 3; echo "after $?"',
    'echo a \\',
  ],
};

describe('a program in bash, as in a script', () => {
  it.each(Object.entries(PROGRAMS))('%s', async (_, programs) => {
    for (const code of programs) {
      await print('kept=yes');
      const { exitCode, stdout, stderr } = await run(code);
      expect({ code, exitCode, stdout, stderr }).toEqual({ code, ...(await runPlainly(code)) });
      expect(await print('echo "$kept"')).toBe('yes\n');
      await run(
        'unalias -a; shopt -u extdebug expand_aliases; builtin unset -f set unset read printf exec eval',
      );
    }
  });

  it('may delete all functions, and its session has tools and traps as before', async () => {
    expect(await print('unset -f $(compgen -A function); echo done')).toBe('done\n');
    expect(await print('trap "echo bye" EXIT; kept=1; exit')).toBe('bye\n');
    expect(await print('echo $kept')).toBe('1\n');
  });

  it('has its variables of before if it has stopped executing', async () => {
    await print('kept=1');
    await print('kept=2; set -n');
    expect(await print('echo $kept')).toBe('1\n');
  });

  it('may disable the commands of bash by which a shell takes programs', async () => {
    await print('kept=1; enable -n read printf');
    expect(await print('echo $kept')).toBe('1\n');
  });
});

describe('a program in bash that leaves its shell nothing to go on with', () => {
  it.each([
    'readonly -f builtin',
    'unset() { :; }; readonly -f builtin',
    'enable -n builtin',
    'eval "set -n"',
    'readonly __ptc_status',
  ])('%j ends the session', async (code) => {
    const result = await run(`builtin() { :; }; ${code}`);
    expect(result).toMatchObject({ status: 'sandbox-lost', sessionOpen: false });
  });
});
