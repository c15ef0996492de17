import { readFileSync } from 'node:fs';

type Write = (tool: string, input: object) => string;

/** How to write the programs of the cases in a language. */
interface Programs {
  /** Makes a call, and prints its result or its error. */
  readonly call: Write;
  /** Makes six calls at the same time. */
  readonly crowd: Write;
  /** Makes calls without end. */
  readonly endless: Write;
}

const python: Write = (tool, input) => `${tool.replace(':', '.')}(**${JSON.stringify(input)})`;
const typescript: Write = (tool, input) => `${tool.replace(':', '.')}(${JSON.stringify(input)})`;
const bash: Write = (tool, input) =>
  `${tool.replace(':', '_')} - <<<'${JSON.stringify(input)}' 2>&1`;

export type ProgramLanguage = 'python' | 'typescript' | 'bash';

export const PROGRAMS: Readonly<Record<ProgramLanguage, Programs>> = {
  python: {
    call: (...call) =>
      `try:\n    print(await ${python(...call)})\nexcept ToolError as error:\n    print(error)`,
    crowd: (...call) =>
      `import asyncio\n_ = await asyncio.gather(*(${python(...call)} for _ in range(6)))`,
    endless: (...call) => `while True:\n    await ${python(...call)}`,
  },
  typescript: {
    call: (...call) =>
      `try { console.log(await ${typescript(...call)}) } catch (error) { console.log((error as Error).message) }`,
    crowd: (...call) => `await Promise.all([1, 2, 3, 4, 5, 6].map(() => ${typescript(...call)}));`,
    endless: (...call) => `for (;;) await ${typescript(...call)};`,
  },
  bash: {
    call: (...call) => `${bash(...call)} || true`,
    crowd: (...call) => `for i in {1..6}; do ${bash(...call)} >/dev/null & done\nwait`,
    endless: (...call) => `while true; do ${bash(...call)}; done`,
  },
};

const RUNNER_PARTS = new URL('../security/preludes/runner-parts.py', import.meta.url);

/**
 * A program in Python that sends a call as hostile code can: without the checks of the runner, and
 * whether or not programs have a function for the tool. It prints the result, or the type of the error.
 */
export const forgedCall: Write = (tool, input) => {
  const [name, text] = [JSON.stringify(tool), JSON.stringify(JSON.stringify(input))];
  return `${readFileSync(RUNNER_PARTS, 'utf8')}\nprint(await ask_raw(${name}, ${text}))`;
};
