import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

const START = 'import os\nout = os.environ["OUTPUT_DIR"] + "/"\n';

/** Ways to write a file without closing it, as a program that has `out` and writes "whole". */
const WAYS: readonly (readonly [how: string, code: string])[] = [
  ['as text', 'file = open(out + "a.txt", "w")\nfile.write("whole")'],
  [
    'by the descriptor of a closed stdin',
    'import sys\nsys.stdin.close()\nfile = open(out + "a.txt", "w")\nfile.write("whole")',
  ],
  ['as bytes', 'file = open(out + "a.txt", "wb")\nfile.write(b"whole")'],
  ['after reading it', 'file = open(out + "a.txt", "w+")\nfile.read()\nfile.write("whole")'],
  [
    'by an object around it',
    'import csv\nrows = csv.writer(open(out + "a.txt", "w"), lineterminator="")\nrows.writerow(["whole"])',
  ],
  [
    'in a function that has not ended',
    'def steps():\n    file = open(out + "a.txt", "w")\n    file.write("whole")\n    yield\nfile = steps()\nnext(file)',
  ],
  ['in a program that fails', 'file = open(out + "a.txt", "w")\nfile.write("whole")\nint("x")'],
];

/** Files that fail or block when a program that knows nothing of them flushes them or looks at them. */
const HOSTILE = `
import io
class Fails(io.TextIOWrapper):
    @property
    def closed(self): raise SystemExit(5)
    def flush(self): return self.flush()
    __class__ = closed
class FailsRaw(io.FileIO):
    def write(self, data): raise KeyboardInterrupt
class Incomparable(type):
    def __eq__(self, other): raise SystemExit(6)
    def __hash__(self): raise SystemExit(7)
class Odd(metaclass=Incomparable): pass
def block(*_):
    while True: pass
kept = [Fails(open("/tmp/fails", "wb")), io.BufferedWriter(FailsRaw("/tmp/raw", "w")), Odd()]
kept[1].write(b"x")
for where in ("file", "file.buffer", "file.buffer.raw"):
    file = open("/tmp/" + where, "w")
    file.write("x")
    stream = eval(where)
    stream.flush = stream.write = block
    kept.append(file)
`;

/** Programs in Python that leave files open. */
export function pythonOpenFiles(): TestGroup {
  return {
    name: 'open files in Python',
    options: { limits: { temporaryStorageBytes: 32 * 1024 * 1024 } },
    tests: [
      ...WAYS.map(([how, code]) =>
        test(`a file that was written ${how} and left open is whole`, async (bench) => {
          const { files, stderr } = await bench.run(START + code);
          assertMatches(files, [{ name: 'a.txt', sizeBytes: 5 }]);
          assertMatches(stderr, '');
        }),
      ),
      test('a file that was left open is whole for the next program, which can go on writing', async (bench) => {
        await bench.run('log = open("log.txt", "w")\nlog.write("one ")');
        assertMatches(await bench.run('print(open("log.txt").read())\nlog.write("two")\nNone'), {
          stdout: 'one \n',
        });
        assertMatches(await bench.run('print(open("log.txt").read())\nlog.close()'), {
          stdout: 'one two\n',
        });
      }),
      test(
        'a copy of the process that ends with the program writes its files too',
        async (bench) => {
          const result = await bench.run(`
import os
pid = os.fork()
if pid == 0:
    file = open("of-the-copy.txt", "w")
    file.write("whole")
else:
    os.waitpid(pid, 0)
    print(open("of-the-copy.txt").read())`);
          assertMatches(result, { status: 'ok', stdout: 'whole\n', stderr: '' });
        },
        { needs: 'fork' },
      ),
      test('an archive that was left open is told, once', async (bench) => {
        const result = await bench.run(`${START}
import gzip, lzma, tarfile, zipfile
archives = [zipfile.ZipFile(out + "a.zip", "w"), tarfile.open(out + "a.tar", "w"), tarfile.open(out + "b.tar.gz", "w:gz")]
archives += [gzip.open(out + "a.gz", "wt"), lzma.open(out + "a.xz", "wb")]
None`);
        const told = [
          ['a.zip', 'ZipFile'],
          ['a.tar', 'TarFile'],
          ['b.tar.gz', 'TarFile'],
          ['a.gz', 'GzipFile'],
          ['a.xz', 'LZMAFile'],
        ].map(
          ([name, type]) =>
            `Warning: '[^']*/${name}' is incomplete, because the program ended before it closed this ${type}; use \`with\`, or call its close\\(\\)\n`,
        );
        assertMatches(result, {
          status: 'ok',
          stderr: new RegExp(`^(?:${told.join('|')}){${told.length}}$`),
        });
        for (const line of told) assertMatches(result.stderr, new RegExp(line));
        assertMatches(await bench.run('len(archives)'), { stderr: '' });
        await bench.run('for archive in archives: archive.close()');
      }),
      test('an archive that is complete is not told', async (bench) => {
        const result = await bench.run(`
import io, tarfile, tempfile, zipfile
file = tempfile.TemporaryFile()
with zipfile.ZipFile(file, "w") as archive:
    archive.writestr("a", "x")
archives = [archive, zipfile.ZipFile(file), zipfile.ZipFile(file, "a"), zipfile.ZipFile(io.BytesIO(), "w")]
file = open("a.tar", "w+b")
with tarfile.open(fileobj=file, mode="w") as archive:
    pass
file.seek(0)
archives += [archive, tarfile.open(fileobj=file)]
None`);
        assertMatches(result, { status: 'ok', stderr: '' });
        await bench.run('del archives, archive, file');
      }),
      test(
        'a file that could not be written to its end is told',
        async (bench) => {
          const fill = `
import os
full = open("full.txt", "w")
full.write("x")
with open("filler", "wb", 0) as filler:
    for size in (1 << 16, 1 << 8, 1):
        try:
            while filler.write(bytes(size)): pass
        except OSError: pass
None`;
          const { stderr } = await bench.run(fill);
          await bench.run('os.remove("filler")\nfull.close()');
          assertMatches(
            stderr,
            /^Warning: '[^']*full.txt' lacks what could not be written to it: .*No space left on device\n$/,
          );
        },
        { needs: 'storage limit' },
      ),
      test('files whose methods a program has replaced neither fail nor block the end of programs', async (bench) => {
        const session = await bench.open();
        const result = await session.execute(
          `${HOSTILE}${START}plain = open(out + "a.txt", "w")\nplain.write("whole")\nNone`,
        );
        assertMatches(result, {
          status: 'ok',
          stderr: '',
          files: [{ name: 'a.txt', sizeBytes: 5 }],
        });
        assertMatches(await session.execute('print("on")'), { stdout: 'on\n' });
      }),
      test(
        'a pipe that nobody reads does not block the end of a program',
        async (bench) => {
          const result = await bench.run(`
import os
read, write = os.pipe()
os.set_blocking(write, False)
try:
    while os.write(write, bytes(1 << 16)): pass
except BlockingIOError:
    pass
os.set_blocking(write, True)
pipe = os.fdopen(write, "w")
pipe.write("x")
print("end")`);
          assertMatches(result, { status: 'ok', stdout: 'end\n', stderr: '' });
          await bench.run('os.read(read, 1 << 20)\npipe.close()');
        },
        { needs: 'fork' },
      ),
    ],
  };
}
