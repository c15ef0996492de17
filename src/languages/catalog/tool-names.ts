import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { toJavaScriptPath, toPythonPath } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';

/** The tools by each name that a program or a policy has for them. Other work goes on meanwhile. */
export async function toolsByName(tools: readonly Tool[]): Promise<ReadonlyMap<string, Tool>> {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const pauses = new LoopPauses();
  for (const tool of tools) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    const paths = [toPythonPath(tool.name), toJavaScriptPath(tool.name)];
    for (const one of [tool.identifier, ...paths.map((path) => path?.join('.'))]) {
      if (one !== undefined && !known.has(one)) known.set(one, tool);
    }
  }
  return known;
}
