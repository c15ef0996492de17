import { describe, expect, it } from 'vitest';
import { useBash } from '../../support/bash-bench.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

const { run, print } = useBash(unisolatedLocalProvider);

describe('a program in bash', () => {
  it('prints to two streams and ends with status 0', async () => {
    expect(await run('echo out; echo err >&2')).toMatchObject({
      status: 'ok',
      exitCode: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it.each(['', '  \n', '# a comment', ':\n'])('%j prints nothing', async (code) => {
    expect(await print(code)).toBe('');
  });

  it.each([
    ['exit 3', 3],
    ['f() { exit 4; }; f; echo no', 4],
    ['(exit 5)', 5],
    ['f() { return 6; }; f', 6],
    ['false', 1],
    ['exit 2', 2],
    ['kill -TERM $$; sleep 10', 143],
    ['set -e; (exit 7); echo no', 7],
    ['set -u; echo $no_such_variable; echo no', 1],
    ['. <(echo exit 8); echo no', 8],
    ['false | true; set -o pipefail; (exit 9) | cat', 9],
  ])('%j fails with its status', async (code, exitCode) => {
    expect(await run(code)).toMatchObject({
      status: 'error',
      exitCode,
      stdout: '',
      sessionOpen: true,
      error: {
        type: 'ExitStatus',
        message: `the program ended with status ${exitCode}`,
        line: null,
      },
    });
    expect(await print('set +o pipefail; echo alive')).toBe('alive\n');
  });

  it('has no status of its own from a pipe that fails before its end', async () => {
    expect(await print('false | echo fine; exit 0')).toBe('fine\n');
  });

  it.each([
    ['echo before\n\nif )', 3, "syntax error near unexpected token `)'"],
    ['echo before\necho "open', 2, 'unexpected EOF while looking for matching `"\''],
    [
      'echo before\nfor i in 1 2; do\n  echo $i\n',
      undefined,
      'syntax error: unexpected end of file',
    ],
  ])('%j is a syntax error of that run alone', async (code, line, message) => {
    const result = await run(code);
    expect(result).toMatchObject({
      status: 'error',
      exitCode: 2,
      stdout: 'before\n',
      error: {
        type: 'SyntaxError',
        message,
        traceback: `SyntaxError: ${message}`,
        ...(line !== undefined && { line }),
      },
    });
    expect(await print('echo alive')).toBe('alive\n');
  });

  it('is told of its errors by its own lines', async () => {
    const { stderr } = await run('\n\nno-such-command\ncd /no/such/directory\necho $LINENO >&2');
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'bash: line 3: no-such-command: command not found',
      'bash: line 4: cd: /no/such/directory: No such file or directory',
      '5',
    ]);
  });

  it('is taken as it is, whatever it holds', async () => {
    const text = `tab\t"quotes" 'more' \\ back\\n \`ticks\` é 漢 😀 \${braces}`;
    expect(await print(`cat <<'END'\n${text}\nEND`)).toBe(`${text}\n`);
    expect(await print(`x=5; cat <<END\n$x $(echo inner)\nEND`)).toBe('5 inner\n');
    expect(await print(`# ${'x'.repeat(300_000)}\necho long`)).toBe('long\n');
    expect(await print('echo $(printf é | wc -c) a\0b')).toBe('2 ab\n');
    expect(await print('printf "no newline"')).toBe('no newline');
  });

  it('finds its input empty, no prompt, no history and no rc files', async () => {
    const program = 'cat; read -r line || echo "end of input"; [[ -t 0 ]] || echo "no terminal"';
    expect(await print(program)).toBe('end of input\nno terminal\n');
    expect(await print('echo "[${PS1-}] $(history | wc -l) $-"')).toMatch(/^\[\] 0 h?u?B\n$/);
  });

  it('can print more than a pipe holds', async () => {
    const { stdout } = await run('seq 100000');
    expect(stdout).toHaveLength(588_895);
    expect((await run('yes | head -n 3')).stderr).toBe('');
  });
});

describe('the state of a session in bash', () => {
  it.each([
    ['; true'],
    ['; exit 0'],
    ['; set -e; exit 0'],
    ['; break'],
    ['; continue'],
    ['; trap : EXIT; exit 0'],
  ])('stays for the next program when one ends with %j', async (end) => {
    await print(
      `cd /usr; plain='a "b" $c'; export exported=e; list=(1 "2 3"); declare -A map=([k]='v w'); ` +
        `declare -i number=4; declare -n name=plain; f() { echo "f $1"; }; g() { f in-g; }; export -f g f; ` +
        `alias greet='echo hello'; shopt -s extglob nullglob expand_aliases; set -f; umask 027${end}`,
    );
    expect(
      await print(
        'echo "$PWD|$plain|$(printenv exported)|${list[1]}|${map[k]}|$name"; number+=3; echo $number\n' +
          'f x; bash -c g; greet; shopt -q extglob nullglob && echo options; umask; echo *; set +f',
      ),
    ).toBe('/usr|a "b" $c|e|2 3|v w|a "b" $c\n7\nf x\nf in-g\nhello\noptions\n0027\n*\n');
    await print('unset -n name; shopt -u nullglob; umask 022; cd');
  });

  it.each(['', 'exit', `trap 'set -- c' EXIT`, 'readonly OPTIND'])(
    'has no arguments of a program that ends with %j, and getopts begins anew',
    async (end) => {
      const program = `echo $#; set -- -a -b x; while getopts 'ab:' option; do echo $option $OPTARG; done 2>&1`;
      const printed = '0\na\nb x\n';
      expect(await print(`${program}; ${end}`)).toBe(printed);
      expect(await print('echo "$# ${1-none}"')).toBe('0 none\n');
      if (!end.startsWith('readonly')) expect(await print(program)).toBe(printed);
    },
  );

  it('has readonly variables, and those that were unset are gone', async () => {
    await print('readonly fixed=1; gone=1; export HOME2=x; exit 0');
    await print('unset gone HOME2; exit 0');
    const { stdout, stderr } = await run('echo "$fixed ${gone-unset} ${HOME2-unset}"; fixed=2');
    expect(stdout).toBe('1 unset unset\n');
    expect(stderr).toContain('fixed: readonly variable');
  });

  it('has what a program left open, and every program its own streams', async () => {
    await print('exec 3>lines; echo one >&3; exec >/dev/null 2>&1; echo unseen');
    expect(await print('echo two >&3; exec 3>&-; cat lines')).toBe('one\ntwo\n');
  });

  it.each([
    'set -evx; echo traced; false',
    'set -euo pipefail',
    'set -Eeuo pipefail; exit 0',
    'set -euo pipefail; echo $no_such_variable',
    'set -k',
  ])('is not held to the strictness of %j', async (code) => {
    await run(code);
    const program = 'false; false | true && echo "on[$no_such_variable]"; exit';
    expect(await run(program)).toMatchObject({ status: 'ok', stdout: 'on[]\n', stderr: '' });
    expect(await print('echo alive')).toBe('alive\n');
  });

  it.each(['exit', 'shopt -s nocasematch; exit'])(
    'has variables whose names resemble those of bash itself after %j',
    async (end) => {
      await print(`EPOCHS=10 BASHRC=/tmp/rc BASH_DIR=/tmp uid=7 random=3; ${end}`);
      expect(await print('echo $EPOCHS $BASHRC $BASH_DIR $uid $random; shopt -u nocasematch')).toBe(
        '10 /tmp/rc /tmp 7 3\n',
      );
    },
  );

  it('stays where one program after another exits', async () => {
    await print('count=0');
    for (let count = 1; count <= 40; count += 1) {
      expect(await print('echo $((++count)); exit')).toBe(`${count}\n`);
    }
  });

  it('has traps end with their program, an EXIT trap as its last act', async () => {
    expect(await run(`trap 'echo bye $?' EXIT; echo work; exit 3`)).toMatchObject({
      stdout: 'work\nbye 3\n',
      exitCode: 3,
    });
    expect(await print(`trap 'echo bye' EXIT; trap`)).toBe(`trap -- 'echo bye' EXIT\nbye\n`);
    expect(await run(`trap 'exit 7' EXIT; x=1`)).toMatchObject({ exitCode: 7 });
    expect(await print(`trap 'echo no' 0; trap - EXIT; (trap 'echo inner' EXIT); echo $x`)).toBe(
      'inner\n1\n',
    );
    expect(
      await print(
        `trap 'echo got it' USR1; kill -USR1 $$; trap 'echo failed' ERR; false; trap 'echo D' DEBUG; :`,
      ),
    ).toBe('got it\nfailed\nD\n');
    expect(await run('trap; false')).toMatchObject({ stdout: '', stderr: '' });
  });

  it.each([
    'false',
    'set -e; false',
    'set -Ee; f() { false; }; f',
    'set -o pipefail; false | true',
  ])('tells an ERR trap once of %j', async (code) => {
    const program = `trap 'echo "$? in $LINENO: $BASH_COMMAND" # ERR' ERR\n\n${code}`;
    const { stdout, exitCode } = await run(program);
    expect(stdout).toMatch(/^1 in 3: (?:false|true)\n$/);
    expect(exitCode).toBe(1);
  });

  it('lists its traps as it set them, in shells of their own too', async () => {
    const lists = 'trap -p EXIT; trap -p INT | cat; echo "$(trap)"; (trap "" INT; trap -p INT)';
    expect(await print(`trap ': "bye"' EXIT; trap "echo 'no'" ERR INT; ${lists}`)).toBe(
      [
        `trap -- ': "bye"' EXIT`,
        String.raw`trap -- 'echo '\''no'\''' SIGINT`,
        `trap -- ': "bye"' EXIT`,
        String.raw`trap -- 'echo '\''no'\''' SIGINT`,
        String.raw`trap -- 'echo '\''no'\''' ERR`,
        `trap -- '' SIGINT`,
        '',
      ].join('\n'),
    );
  });

  it('runs each program in the process that $$ names', async () => {
    expect(await print('[[ $$ == $BASHPID ]] && echo same; exit 0')).toBe('same\n');
    expect(await print('[[ $$ == $BASHPID ]] && echo same')).toBe('same\n');
  });
});
