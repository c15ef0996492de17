import { readFile } from 'node:fs/promises';
import type { ProcessFacts } from '../security-report.ts';

/** Reads how a process runs. Undefined if the system does not tell; only Linux does. */
export async function readProcessFacts(processId: number): Promise<ProcessFacts | undefined> {
  try {
    const [commandLine, environment, limits] = await Promise.all(
      ['cmdline', 'environ', 'limits'].map((name) =>
        readFile(`/proc/${processId}/${name}`, 'utf8'),
      ),
    );
    const bound = /^Max data size +(\d+)/m.exec(limits ?? '')?.[1];
    return {
      args: split(commandLine),
      environmentNames: split(environment).map((variable) => variable.replace(/=.*/s, '')),
      dataLimitBytes: bound === undefined ? undefined : Number(bound),
    };
  } catch {
    return undefined;
  }
}

function split(text = ''): string[] {
  return text.split('\0').filter((part) => part !== '');
}
