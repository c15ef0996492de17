import assert from 'node:assert/strict';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

const INSTALLED = /(?:Only the standard library is there|Libraries that are there: [\w., -]+)\./
  .source;
const NOTHING = 'nothing can be installed here';
const NETWORK = 'there is no network here; only tools reach anything outside';
const GAIERROR = 'socket.gaierror(-3, "Temporary failure in name resolution")';

/** What programs expect and no sandbox has: code, the error's type, its message. */
const SLIPS: readonly (readonly [code: string, type: string, message: RegExp])[] = [
  [
    'import no_such_library',
    'ModuleNotFoundError',
    new RegExp(
      `^No module named 'no_such_library': it is not installed, and ${NOTHING}\\. ${INSTALLED}$`,
    ),
  ],
  [
    'import no_such_library.part as part',
    'ModuleNotFoundError',
    new RegExp(`^No module named 'no_such_library': it is not installed, and ${NOTHING}`),
  ],
  ['%pip install x', 'SyntaxError', new RegExp(`'%pip install x': ${NOTHING}.* ${INSTALLED}`)],
  [
    'import subprocess\nraise subprocess.CalledProcessError(1, ["/usr/bin/python3", "-m", "pip", "install", "x"])',
    'CalledProcessError',
    new RegExp(`exit status 1: ${NOTHING}, since there is no network\\. ${INSTALLED}$`),
  ],
  [
    'import subprocess\nraise subprocess.CalledProcessError(127, "pip install x")',
    'CalledProcessError',
    new RegExp(NOTHING),
  ],
  [
    'raise FileNotFoundError(2, "No such file or directory", "uv")',
    'FileNotFoundError',
    new RegExp(`'uv': ${NOTHING}`),
  ],
  [`import socket\nraise ${GAIERROR}`, 'gaierror', new RegExp(`name resolution: ${NETWORK}$`)],
  [
    `import socket, urllib.error\nraise urllib.error.URLError(${GAIERROR})`,
    'URLError',
    new RegExp(`name resolution>: ${NETWORK}$`),
  ],
  [
    `import errno\ntry:\n    raise OSError(errno.ENETUNREACH, "Network is unreachable")\nexcept OSError as error:\n    raise ValueError("no answer") from error`,
    'ValueError',
    new RegExp(`^no answer: ${NETWORK}$`),
  ],
  [
    'input("name? ")',
    'EOFError',
    /^input\(\) cannot be used here: .*; assign the text in the program$/,
  ],
];

/** Errors that look like these, and are not. */
const OTHERS = [
  'import os.no_such_part',
  'raise ModuleNotFoundError("mine")',
  'open("/none")',
  'raise OSError(13, "Permission denied")',
  'import subprocess\nraise subprocess.CalledProcessError(1, ["git", "push"])',
  'class Odd(ImportError):\n    name = property(lambda self: 1 / 0)\nraise Odd("odd")',
];

/** What an error says if a program expects an installer, a library or a network. */
export function pythonSlips(): TestGroup {
  return {
    name: 'what no sandbox has, in Python',
    options: {},
    tests: [
      ...SLIPS.map(([code, type, message]) =>
        test(`the error says what to do: ${JSON.stringify(code)}`, async (bench) => {
          const { error } = await bench.run(code);
          assert.equal(error?.type, type);
          assert.match(error.message, message);
          const last = error.traceback.split('\n').at(-1) ?? '';
          assert.ok(last.endsWith(error.message) || type === 'SyntaxError', last);
        }),
      ),
      ...OTHERS.map((code) =>
        test(`another error stays as it is: ${JSON.stringify(code)}`, async (bench) => {
          const { error } = await bench.run(code);
          assert.doesNotMatch(String(error?.traceback), /installed here|network here/);
        }),
      ),
      test('a program that catches the error sees the message of Python', async (bench) => {
        const code =
          'try:\n    import no_such_library\nexcept ImportError as error:\n    print(error)';
        assert.equal(await bench.print(code), "No module named 'no_such_library'\n");
      }),
    ],
  };
}
