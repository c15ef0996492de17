import { execFileSync } from 'node:child_process';

/** A function of a tool as it is documented. */
export interface ParsedFunction {
  /** Such as `find`, or `orders.find` if it is in a class. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly docstring: string;
}

/** What CPython itself makes of the documentation. */
export function parse(documentation: string): ParsedFunction[] {
  const program = `
import ast, json, sys
body = ast.parse(sys.stdin.buffer.read().decode("utf-8")).body
functions = [("", node) for node in body if isinstance(node, ast.AsyncFunctionDef)]
for one in body:
    if isinstance(one, ast.ClassDef) and not one.bases:
        functions += [(one.name + ".", node) for node in one.body]
print(json.dumps([{
  "name": prefix + f.name,
  "parameters": [a.arg for a in f.args.args],
  "docstring": ast.get_docstring(f, clean=False),
} for prefix, f in functions]))`;
  const output = execFileSync('python3', ['-c', program], { input: documentation });
  return JSON.parse(output.toString()) as ParsedFunction[];
}
