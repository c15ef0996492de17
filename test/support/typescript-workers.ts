import { afterAll, beforeAll } from 'vitest';

const LOADER = new URL('./worker-typescript.mjs', import.meta.url).href;

/** Has worker threads that are started by the tests of a file run TypeScript. */
export function useTypeScriptWorkers(): void {
  const before = process.env['NODE_OPTIONS'];
  beforeAll(() => {
    process.env['NODE_OPTIONS'] = `${before ?? ''} --import ${LOADER}`;
  });
  afterAll(() => {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  });
}
