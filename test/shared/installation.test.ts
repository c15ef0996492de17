import { describe, expect, it } from 'vitest';
import { asStartError, asUnavailable } from '../../src/providers/docker/engine/engine-error.ts';
import { readOwnFiles, throwIfLoadFailure, wrongPlace } from '../../src/shared/installation.ts';

const UNLOADABLE = [
  new ReferenceError('__dirname is not defined'),
  Object.assign(new Error("Cannot find module 'ssh2'\nRequire stack:\n- a.js"), {
    code: 'MODULE_NOT_FOUND',
  }),
  Object.assign(new Error("Cannot find package 'ssh2'"), { code: 'ERR_MODULE_NOT_FOUND' }),
];

describe('code that cannot be loaded', () => {
  it.each(UNLOADABLE)('is not told as a fault of an engine: %s', (error) => {
    const [reason = ''] = error.message.split('\n');
    const told = expect.objectContaining({
      code: 'INSTALLATION_INCOMPLETE',
      message: expect.stringContaining(`Code cannot be loaded: ${reason}. `),
      cause: error,
    });
    expect(() => asUnavailable(error)).toThrow(told);
    expect(() => asStartError(error, 'image')).toThrow(told);
  });

  it('is not seen in what an engine or its connection says', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(() => throwIfLoadFailure(refused)).not.toThrow();
    expect(() => throwIfLoadFailure(new TypeError('Invalid URL'))).not.toThrow();
    expect(() => asUnavailable(refused)).toThrow('The container engine failed: connect ECONN');
  });
});

const URL_OF_MODULE = 'file:///app/node_modules/sandboxed-ptc/dist/shared/installation.js';
const FILE = '/app/node_modules/sandboxed-ptc/package.json';

/** An error of Node about the package's file. */
const nodeError = (code: string, reason: string): Error =>
  Object.assign(new Error(`${code}: ${reason}, open '${FILE}'`), { code });

const NOT_CAPABLE = Object.assign(new Error(`Requires read access to "${FILE}"`), {
  name: 'NotCapable',
});

describe('a package whose own file cannot be read', () => {
  it.each([
    [nodeError('ENOENT', 'no such file or directory'), 'If your application is bundled'],
    [new SyntaxError('Unexpected end of JSON input'), 'If your application is bundled'],
    // The file belongs to another package.
    [undefined, 'If your application is bundled'],
  ])('was moved by a bundler: %s', (cause, remedy) => {
    const { code, message } = wrongPlace(URL_OF_MODULE, cause);
    expect(code).toBe('INSTALLATION_INCOMPLETE');
    expect(message).toContain(`does not run from the place where it was installed, but from file:`);
    expect(message).toContain(remedy);
  });

  it.each([
    [
      nodeError('EACCES', 'permission denied'),
      'Let the user of this process read the directory in which sandboxed-ptc is installed.',
    ],
    [
      nodeError('EPERM', 'operation not permitted'),
      'Let the user of this process read the directory in which sandboxed-ptc is installed.',
    ],
    [
      NOT_CAPABLE,
      'Run Deno with --allow-read, and the other permissions that docs/sandboxes.md lists.',
    ],
  ])('may not be read: %s', async (cause, remedy) => {
    expect(wrongPlace(URL_OF_MODULE, cause)).toMatchObject({
      code: 'INSTALLATION_INCOMPLETE',
      message: `sandboxed-ptc cannot read its package.json: ${cause.message}. ${remedy}`,
      cause,
    });
    const reading = readOwnFiles(async () => Promise.reject(cause));
    await expect(reading).rejects.toThrow(`${cause.message}. ${remedy}`);
  });
});
