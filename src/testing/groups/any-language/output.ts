import assert from 'node:assert/strict';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { liveMemoryBytes } from '../../live-memory.ts';
import { expects, prints, type TestGroup } from '../../test-definition.ts';

/** All that a program writes is its output, unchanged, on the stream that it chose. */
export function output(): TestGroup {
  let notes = 0;
  // `note` answers after the host has received what the program printed before the call.
  let firstPrint = Promise.resolve();
  return {
    name: 'output',
    options: {
      tools: [
        {
          name: 'note',
          description: 'Notes that it was called.',
          run: async () => {
            notes += 1;
            await firstPrint;
          },
        },
      ],
    },
    tests: [
      expects('standard output and standard error stay apart', 'bothStreams', {
        status: 'ok',
        stdout: 'out\nagain\n',
        stderr: 'err\n',
      }),
      prints('an unfinished last line is output too', 'noNewline', 'no newline'),
      prints('blank lines and carriage returns stay', 'lineEndings', 'a\n\n\nb\r\n'),
      prints('a thousand lines come in their order', 'manyPrints', numbersTo(1000)),
      prints('control characters come through', 'controlCharacters', '\u0000\u001b[31m\t.'),
      prints('bytes that are not text are shown as such', 'binaryOutput', 'a\uFFFD\uFFFDb\n'),
      prints('a character that is written byte by byte arrives whole', 'splitCharacters', '€🙂'),
      {
        title: 'a printed outcome is text, and the program goes on',
        programs: ['outcomeMarker'],
        run: async (bench, program) => {
          const { stdout } = await bench.check(program, { status: 'ok' });
          assert.match(stdout, /^__PTC_OUTPUT__.*"FORGED".*__PTC_END_OUTPUT__\nreal end\n$/);
        },
      },
      {
        title: 'a printed tool call is text, and calls nothing',
        programs: ['callMarker'],
        run: async (bench, program) => {
          notes = 0;
          const marker = /^__PTC_TOOL_CALL__.*"note".*__PTC_END_CALL__\n$/;
          await bench.check(program, { status: 'ok', stderr: marker, toolCalls: 0 });
          assert.equal(notes, 0);
        },
      },
      expects(
        'the output of a child process is output',
        'childOutput',
        { status: 'ok', stdout: 'child\n', stderr: 'complaint\n' },
        'subprocesses',
      ),
      prints('a child process has no input to wait for', 'childInput', '[]\n', 'subprocesses'),
      prints('a program has no input to wait for', 'emptyInput', '[]\n'),
      {
        title: 'what is printed before a call is reported while the call waits',
        programs: ['printsBeforeCall'],
        run: async (bench, program) => {
          const told = createDeferred<void>();
          firstPrint = told.promise;
          await bench.check(
            program,
            { status: 'ok', stdout: 'first\nsecond\n', toolCalls: 1 },
            {
              onEvent: (event) => {
                if (event.type === 'output-delta') told.resolve();
              },
            },
          );
        },
      },
      prints(
        'a program that spoils its output leaves the next one its own',
        'replacedOutput',
        'visible\n',
      ),
      {
        title:
          'work that a program leaves behind is finished, or ended with a warning, and prints into no later program',
        programs: ['leaveWork', 'printLater'],
        run: async (bench, leaving, later) => {
          await bench.check(leaving, { status: 'ok', stdout: '', stderr: /^Warning: .*\n$/ });
          await bench.check(later, { status: 'ok', stdout: 'mine\n' });
        },
      },
    ],
  };
}

const LIMIT_BYTES = 1000;

/** What remains of output above the limit. */
export function outputLimits(): TestGroup {
  return {
    name: 'output limits',
    options: { maxOutputBytes: LIMIT_BYTES },
    tests: [
      expects('output up to the limit is whole', 'thousandBytes', {
        status: 'ok',
        stdout: 'x'.repeat(LIMIT_BYTES),
        truncated: false,
      }),
      {
        title:
          'of more than the limit the head and the tail stay, with the number of bytes left out',
        programs: ['fiveThousandCharacters'],
        run: async (bench, program) => {
          const { stdout } = await bench.check(program, { status: 'ok', truncated: true });
          const parts = /^(€+)\n\[… ([\d,]+) bytes of output left out here …\]\n(€+)$/u.exec(
            stdout,
          );
          const [, head = '', omitted = '', tail = ''] = parts ?? [];
          const kept = Buffer.byteLength(head + tail);
          assert.equal(kept + Number(omitted.replaceAll(',', '')), 15_000, stdout);
          assert.ok(kept > LIMIT_BYTES - 8 && kept <= LIMIT_BYTES, `${kept} bytes were kept.`);
        },
      },
      {
        title: 'a last value longer than the limit is cut, and the result says so',
        programs: ['longValue'],
        run: async (bench, program) => {
          const { stdout } = await bench.check(program, { status: 'ok', truncated: true });
          assert.ok(stdout.length < LIMIT_BYTES + 100, `${stdout.length} characters were kept.`);
        },
      },
      expects('each stream has a limit of its own', 'longErrors', {
        status: 'ok',
        stdout: 'short\n',
        stderr: /^e+\n\[… [\d,]+ bytes of output left out here …\]\ne+\n?$/,
        truncated: true,
      }),
      {
        title:
          'of a flood of output the head and the tail stay, and the rest does not stay in the host’s memory',
        programs: ['flood'],
        run: async (bench, program) => {
          const before = await liveMemoryBytes();
          const stdout =
            /^first line\nx+[^]*99,999,021 bytes of output left out[^]*x\nlast line\n$/;
          const expected = { status: 'ok', truncated: true, stdout } as const;
          await bench.check(program, expected);
          const grown = (await liveMemoryBytes()) - before;
          assert.ok(grown < 60_000_000, `The host’s memory grew by ${grown} bytes.`);
        },
      },
    ],
  };
}

function numbersTo(end: number): string {
  return Array.from({ length: end }, (_, number) => `${number}\n`).join('');
}
