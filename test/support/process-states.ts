import { readdirSync, readFileSync } from 'node:fs';

/** The states of all processes below this one, as the kernel tells them: one letter each. */
export function statesBelow(pid: string | undefined): string {
  const states: string[] = [];
  const parents = [pid];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const thread of readdirSync(`/proc/${parent}/task`)) {
      const list = readFileSync(`/proc/${parent}/task/${thread}/children`, 'utf8');
      parents.push(...list.split(' ').filter(Boolean));
    }
    if (parent !== pid) {
      const [, state = ''] = /^.*\) (.)/su.exec(readFileSync(`/proc/${parent}/stat`, 'utf8')) ?? [];
      states.push(state);
    }
  }
  return states.join('');
}
