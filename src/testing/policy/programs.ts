import type { LanguageName } from '../../protocol/messages.ts';

type Write = (tool: string, input: object) => string;

/** How to write the programs of the tests in a language. */
interface WayPrograms {
  /** Makes a call, and prints its result or its error. */
  readonly call: Write;
  /** The line in which it makes the call. */
  readonly lineOfCall: number;
  /** Makes six calls at the same time. */
  readonly crowd: Write;
  /** Makes calls without end. */
  readonly endless: Write;
}

const python: Write = (tool, input) => `${tool.replace(':', '.')}(**${JSON.stringify(input)})`;
const script: Write = (tool, input) => `${tool.replace(':', '.')}(${JSON.stringify(input)})`;
const bash: Write = (tool, input) =>
  `${tool.replace(':', '_')} - <<<'${JSON.stringify(input)}' 2>&1`;

/** For JavaScript, which is TypeScript too. */
const scripts: WayPrograms = {
  call: (...call) =>
    `try { console.log(await ${script(...call)}) } catch (error) { console.log(Object(error).message) }`,
  lineOfCall: 1,
  crowd: (...call) => `await Promise.all([1, 2, 3, 4, 5, 6].map(() => ${script(...call)}));`,
  endless: (...call) => `for (;;) await ${script(...call)};`,
};

export const WAY_PROGRAMS: Readonly<Record<LanguageName, WayPrograms>> = {
  python: {
    call: (...call) =>
      `try:\n    print(await ${python(...call)})\nexcept ToolError as error:\n    print(error)`,
    lineOfCall: 2,
    crowd: (...call) =>
      `import asyncio\n_ = await asyncio.gather(*(${python(...call)} for _ in range(6)))`,
    endless: (...call) => `while True:\n    await ${python(...call)}`,
  },
  typescript: scripts,
  javascript: scripts,
  bash: {
    call: (...call) => `${bash(...call)} || true`,
    lineOfCall: 1,
    crowd: (...call) => `for i in {1..6}; do ${bash(...call)} >/dev/null & done\nwait`,
    endless: (...call) => `while true; do ${bash(...call)}; done`,
  },
};
