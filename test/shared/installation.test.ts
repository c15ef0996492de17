import { describe, expect, it } from 'vitest';
import { asStartError, asUnavailable } from '../../src/providers/docker/engine/engine-error.ts';
import { throwIfLoadFailure } from '../../src/shared/installation.ts';

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
