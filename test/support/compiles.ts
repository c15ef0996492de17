import { Script } from 'node:vm';

/** Whether this release of Node knows the syntax of a program. */
export function compiles(program: string): boolean {
  try {
    return new Script(program) instanceof Script;
  } catch {
    return false;
  }
}
