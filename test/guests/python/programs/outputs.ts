import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import type { Bench } from '../../../../src/testing/bench.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';
import type { ExecutionResult } from '../../../../src/execution/execution.ts';

const START = `import os
out = os.environ["OUTPUT_DIR"]
def leave(name, text="x"):
    path = os.path.join(os.fsencode(out), os.fsencode(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        _ = file.write(text)
`;

/** Runs a program that leaves something, and one that finds nothing of it. */
async function left(bench: Bench, code: string): Promise<ExecutionResult> {
  const result = await bench.run(START + code);
  assertMatches(await bench.run(`${START}os.listdir(out)`), { stdout: '[]\n', files: [] });
  return result;
}

function namesOf({ files }: ExecutionResult): readonly string[] {
  return files.map(({ name }) => name);
}

/** What programs in Python leave in `$OUTPUT_DIR`. */
export function pythonOutputs(): TestGroup {
  return {
    name: 'files for the caller in Python',
    // Room beside what other tests left.
    options: { limits: { temporaryStorageBytes: 32 * 1024 * 1024 } },
    tests: [
      test('are returned by name, with any bytes, also after a failure', async (bench) => {
        const result = await left(
          bench,
          `leave("b.txt", "two"); leave("a/c.json", "{}"); leave("empty"); open(out + "/empty", "w").close()
with open(out + "/data.bin", "wb") as file: file.write(bytes(range(256)) * 4000)
raise ValueError("after it")`,
        );
        assertMatches(result, { status: 'error', fileProblems: [] });
        assertMatches(
          result.files.map(({ name, mediaType, sizeBytes }) => [name, mediaType, sizeBytes]),
          [
            ['a/c.json', 'application/json', 2],
            ['b.txt', 'text/plain', 3],
            ['data.bin', 'application/octet-stream', 1_024_000],
            ['empty', 'application/octet-stream', 0],
          ],
        );
        const bytes = Buffer.from(result.files[2]?.data ?? '', 'base64');
        assertMatches(
          bytes.subarray(-256).equals(Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
          true,
        );
      }),
      test('are whole, also if the function that wrote them did not close them before it ended the program', async (bench) => {
        for (const end of ['raise SystemExit(0)', 'raise ValueError("e")']) {
          const { files } = await left(
            bench,
            `def main():\n    file = open(out + "/a.txt", "w")\n    file.write("whole")\n    ${end}\nmain()`,
          );
          assertMatches(files, [{ name: 'a.txt', sizeBytes: 5 }]);
        }
      }),
      test('are removed from the sandbox when they are returned', async (bench) => {
        await left(bench, 'leave("a/b/c")');
        assertMatches(
          await bench.run(
            `[name for name in os.listdir(os.path.dirname(out)) if name.startswith("outputs-")]`,
          ),
          { stdout: '[]\n' },
        );
      }),
      test('are not looked for through links [every/output-regular, every/output-links]', async (bench) => {
        const result = await left(
          bench,
          `leave("real")
os.symlink("/etc/passwd", out + "/passwd"); os.symlink("/proc/1/environ", out + "/environ")
os.symlink("/", out + "/root"); os.symlink("real", out + "/other"); os.symlink(".", out + "/self")`,
        );
        assertMatches(namesOf(result), ['real']);
        assertMatches(result.fileProblems, [
          'Of $OUTPUT_DIR, 5 entries could not be returned, because only regular files are returned: "environ", "other", "passwd", "root", "self".',
          /^What was not returned is still in ".*outputs-[0-9a-f]{8}" of the sandbox\.$/,
        ]);
      }),
      test('are not looked for where a link or a file took the place of the directory [every/output-links]', async (bench) => {
        for (const change of ['os.symlink("/", out)', 'open(out, "w").close()']) {
          const result = await left(bench, `os.rmdir(out); ${change}`);
          assertMatches(result, {
            status: 'ok',
            files: [],
            fileProblems: [/could not be listed in the sandbox: Not a directory/],
          });
        }
        assertMatches(await left(bench, 'os.rmdir(out)'), { files: [], fileProblems: [] });
      }),
      test('have names that are displayed as they are', async (bench) => {
        const result = await left(
          bench,
          `leave("Übersicht 1.txt"); leave("Ü/ü"); leave("a"); leave("A"); leave("n" * 200)
for name in ("line\\nend", "clear\\x1b[2J", "turn\\u202e", b"\\xff", "back\\\\slash", "n" * 201, "dddd/" * 40 + "x"): leave(name)`,
        );
        assertMatches(
          [...namesOf(result)].sort(),
          ['A', 'a', 'n'.repeat(200), 'Ü/ü', 'Übersicht 1.txt'].sort(),
        );
        assertMatches(
          result.fileProblems[0],
          /^Of \$OUTPUT_DIR, 7 entries could not be returned, because a name can have 200 characters/,
        );
        assertMatches(/[\p{Cc}\u202e]/u.test(result.fileProblems.join('')), false);
      }),
      test('are at most 20, and the others are counted and named [every/output-bounded]', async (bench) => {
        const result = await left(
          bench,
          'for number in range(1500): leave(f"{number // 100:02}/{number:04}")',
        );
        assertMatches(result.files.length, 20);
        assertMatches(result.files.at(-1)?.name, '00/0019');
        assertMatches(result.fileProblems, [
          'Of $OUTPUT_DIR, 980 entries could not be returned, because a program can return 20 files: "00/0020", "00/0021", "00/0022", "00/0023", "00/0024" and 975 more.',
          /^Of \$OUTPUT_DIR, more was left out/,
          /^What was not returned/,
        ]);
      }),
      test('have at most 10 MiB together, also if they are mostly holes [every/output-bounded]', async (bench) => {
        const result = await left(
          bench,
          `for name, size in (("a", 6 << 20), ("b", 5 << 20), ("c", 4 << 20), ("d", 1)):
    with open(out + "/" + name, "wb") as file: file.truncate(size)`,
        );
        assertMatches(namesOf(result), ['a', 'c']);
        assertMatches(
          result.fileProblems[0],
          'Of $OUTPUT_DIR, 2 entries could not be returned, because the files of a program can have 10 MiB together: "b", "d".',
        );
        await bench.run(
          'import glob, shutil\nfor path in glob.glob(out + "-*"): shutil.rmtree(path)',
        );
      }),
      test('that cannot be read are named', async (bench) => {
        const result = await left(
          bench,
          'leave("a"); leave("b"); leave("c/d"); os.chmod(out + "/a", 0); os.chmod(out + "/c", 0)',
        );
        // Root reads what it may not.
        if (result.files.length === 3) return;
        assertMatches(namesOf(result), ['b']);
        assertMatches(result.fileProblems, [
          / it could not be read \(EACCES\): "a"\.$/,
          /some that cannot be read/,
          /still in/,
        ]);
      }),
    ],
  };
}
