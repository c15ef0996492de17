import { expect } from 'vitest';
import { codeTool, type CodeTool } from '../../../src/orchestrator/code/code-tool.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import { executorFor } from '../../support/executor-for.ts';

/** Gives `execute_code` of a session for one test. */
export type Open = (language?: LanguageName) => CodeTool;

/** A function that gives `execute_code` over sandboxes of a provider. */
export function codeToolOpener(provider: () => SandboxProvider): Open {
  return (language = 'python') =>
    codeTool({ executor: executorFor(provider(), { languages: [language] }) });
}

async function textOf(tool: CodeTool, code: string): Promise<string> {
  const { text, isError } = await tool.execute({ code });
  expect([isError, text]).toEqual([false, text]);
  return text;
}

/** Prints the line `€` 700,000 times, which takes 2.8 MB; then counts them in the file. */
const PROGRAMS: Readonly<Record<LanguageName, readonly [print: string, count: string]>> = {
  python: [
    'for _ in range(70_000): print("€\\n" * 9 + "€")',
    'print(sum(line == "€\\n" for line in open("/tmp/full-output/1.txt")))',
  ],
  javascript: [
    'for (let count = 0; count < 700; count += 1) console.log("€\\n".repeat(999) + "€");',
    'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("/tmp/full-output/1.txt", "utf8").split("\\n").filter((line) => line === "€").length);',
  ],
  typescript: [
    'for (let count = 0; count < 700; count += 1) console.log("€\\n".repeat(999) + "€");',
    'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("/tmp/full-output/1.txt", "utf8").split("\\n").filter((line) => line === "€").length);',
  ],
  bash: ['yes € | head -n 700000', 'grep -cx € /tmp/full-output/1.txt'],
};

/** What is too long for the model is whole in a file, where the next program finds it. */
export async function keepWhole(open: Open, language: LanguageName): Promise<void> {
  const [print, count] = PROGRAMS[language];
  const tool = open(language);
  const { text, result } = await tool.execute({ code: print });
  expect(result?.fullOutput).toEqual({ path: '/tmp/full-output/1.txt', sizeBytes: 2_800_000 });
  expect(Buffer.byteLength(text)).toBeLessThan(50_000);
  const [above, ...lines] = text.split('\n');
  const below = lines.pop();
  expect(above).toMatch(
    /^\[This output is too long: .* All of it is in \/tmp\/full-output\/1\.txt\.\]$/,
  );
  expect(below).toMatch(/^\[Above, .* All of it is in \/tmp\/full-output\/1\.txt: .*\]$/);
  // No character is cut.
  expect(lines.filter((line) => !/^€?$/.test(line))).toEqual([
    expect.stringMatching(/^\[… 2,75\d,\d{3} bytes \(68\d,\d{3} lines\) left out here …\]$/),
  ]);
  expect(await textOf(tool, count)).toBe('700000');
}

/** A program that has put something else where its output is kept. */
export async function replaceDirectory(open: Open): Promise<void> {
  const long = 'print("x" * 100_000)';
  for (const [replace, problem] of [
    ['os.symlink("/etc", "/tmp/full-output")', 'EXDEV'],
    ['os.symlink("/proc/1/root/tmp", "/tmp/full-output")', 'EXDEV'],
    ['open("/tmp/full-output", "w").close()', 'ENOTDIR'],
    ['os.mkdir("/tmp/full-output")\nopen("/tmp/full-output/999999999.txt", "w").close()', 'EEXIST'],
  ] as const) {
    const tool = open();
    const { text, result } = await tool.execute({ code: `import os\n${replace}\n${long}` });
    expect(result).toMatchObject({ status: 'ok', sessionOpen: true });
    expect(result?.fullOutput).toBeUndefined();
    expect(text).toContain(`They are lost, because it could not be kept: ${problem}.]\n`);
    expect(text).toContain(`${problem}: print less, or look at parts in a further run.]`);
    expect(await textOf(tool, 'print("on")')).toBe('on');
  }
}

/** A link in the place of the next file stays as it is, and so does what it names. */
export async function linkFile(open: Open): Promise<void> {
  const tool = open();
  const { result } = await tool.execute({
    code: 'import os\nos.mkdir("/tmp/full-output")\nos.symlink("/tmp/mine", "/tmp/full-output/1.txt")\n_ = open("/tmp/mine", "w").write("mine")\nprint("x" * 100_000)',
  });
  expect(result?.fullOutput).toEqual({ path: '/tmp/full-output/2.txt', sizeBytes: 100_001 });
  expect(await textOf(tool, 'print(open("/tmp/full-output/1.txt").read())')).toBe('mine');
}

/** A full `/tmp`. */
export async function fillStorage(open: Open): Promise<void> {
  const tool = open();
  const fill = `
try:
    with open("/tmp/filler", "wb", buffering=0) as file:
        while True: _ = file.write(bytes(65536))
except OSError: pass
print("x" * 1_000_000)`;
  const { text } = await tool.execute({ code: fill });
  expect(text).toContain('They are lost, because it could not be kept: ENOSPC.]\n');
  expect(await textOf(tool, 'import os\nos.remove("/tmp/filler")')).toContain('without printing');
  const { result } = await tool.execute({ code: 'print("x" * 1_000_000)' });
  expect(result?.fullOutput?.sizeBytes).toBe(1_000_001);
}

/** Output beyond all limits: the file has no more than 8 MiB, and the oldest files make room. */
export async function flood(open: Open): Promise<void> {
  const tool = open();
  const before = process.memoryUsage().rss;
  const { text, result } = await tool.execute({
    code: 'import sys\nfor stream in (sys.stdout, sys.stderr):\n    for _ in range(300): print("x" * 99_999, file=stream)',
  });
  expect(result).toMatchObject({ status: 'ok', truncated: true });
  expect(result?.fullOutput?.sizeBytes).toBeLessThanOrEqual(8 * 2 ** 20);
  expect(text).toContain('Most of it is in /tmp/full-output/1.txt, where a line says how much');
  for (let count = 0; count < 3; count += 1) {
    await tool.execute({ code: 'print("y" * 3_000_000)' });
  }
  const names = await textOf(tool, 'import os\nprint(sorted(os.listdir("/tmp/full-output")))');
  expect(names).toBe("['3.txt', '4.txt']");
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
}

/** A program that kills the process for files. */
export async function killFileProcess(open: Open): Promise<void> {
  const tool = open();
  await tool.execute({ code: 'print("x" * 100_000)' });
  const killing = 'import os, signal\nprint("x" * 100_000)\nos.kill(-1, signal.SIGKILL)';
  const { result } = await tool.execute({ code: killing });
  expect(result).toMatchObject({ status: 'ok' });
  expect(result?.fullOutput?.path).toBe('/tmp/full-output/2.txt');
}
