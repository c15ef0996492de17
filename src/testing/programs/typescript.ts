import type { ContractPrograms } from './contract-programs.ts';
import { javascript } from './javascript.ts';

/** The programs of the contract tests in TypeScript: those in JavaScript, some with syntax that only TypeScript has. */
export const typescript: ContractPrograms = {
  ...javascript,
  onlyComment: 'interface Nothing {\n  readonly here: never;\n}\n// nor here\n',
  syntaxError: { code: 'console.log("before");\nconst x: = 1;', errorType: 'SyntaxError' },
  runtimeError: {
    code: 'type Text = string; console.log("before" as Text);\ninterface Unused { a: 1 }\nthrow new RangeError("no luck" satisfies Text);',
    errorType: 'RangeError',
  },
  errorInFunction: {
    code: 'function inner(value: { field: number } | null): number {\n  return value!.field;\n}\ninner(null);',
    errorType: 'TypeError',
  },
  keepVariables: ['let kept: number = 41;', 'kept += 1 as number;\nconsole.log(kept);'],
  keepFunctions: [
    'function double<Value extends number>(x: Value): number {\n  return 2 * x;\n}',
    'console.log(double<number>(21));',
  ],
  keepImports: [
    'import { basename, type ParsedPath } from "node:path";',
    'const parsed: ParsedPath | undefined = undefined;\nconsole.log(basename("/a/42"));',
  ],
  keepTypes: [
    'enum Axis {\n  X = 3,\n}\nclass Point {\n  constructor(private readonly x: Axis) {}\n  show(): void {\n    console.log(this.x);\n  }\n}',
    'new Point(Axis.X).show();',
  ],
  fenced: '```ts\nconst word: string = "fenced";\nconsole.log(word);\n```',
  useResult:
    'interface Order {\n  id: number;\n  total: number;\n}\nconst [order]: Order[] = await find_orders({ customer: "a" });\nconsole.log(order!.id, order!.total);',
  failureCaught:
    'try {\n  await fail();\n} catch (error: unknown) {\n  const { type, tool, message } = error as ToolError;\n  console.log(type, tool, message);\n}',
  callInFunction: [
    'const ask = async (): Promise<unknown> => no_arguments();',
    'console.log(await ask());',
  ],
};
