import type { OptionKind } from '../../../src/shared/options/option-kinds.ts';

class Settings {
  get timeoutMs(): number {
    return 1;
  }
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const fail = (): never => {
  throw new TypeError('a trap of the test');
};

export type SampleName =
  | 'text'
  | 'number'
  | 'not a number'
  | 'boolean'
  | 'null'
  | 'symbol'
  | 'bigint'
  | 'function'
  | 'array'
  | 'plain'
  | 'map'
  | 'instance'
  | 'inherited'
  | 'throwing proxy'
  | 'revoked proxy';

/** Values of all types. */
export const SAMPLES: Readonly<Record<SampleName, unknown>> = {
  text: 'some text',
  number: 12,
  'not a number': Number.NaN,
  boolean: true,
  null: null,
  symbol: Symbol('a'),
  bigint: 12n,
  function: (): void => {},
  array: [1],
  plain: {},
  map: new Map([['timeoutMs', 1]]),
  instance: new Settings(),
  inherited: Object.create({ timeoutMs: 1 }) as object,
  'throwing proxy': new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail }),
  'revoked proxy': revokedProxy(),
};

const OBJECTS: readonly SampleName[] = [
  'plain',
  'map',
  'instance',
  'inherited',
  'throwing proxy',
  'revoked proxy',
];

/** The samples that are of a kind. */
export const SAMPLES_OF: Readonly<Record<OptionKind, readonly SampleName[]>> = {
  text: ['text'],
  number: ['number'],
  boolean: ['boolean'],
  function: ['function'],
  array: ['array'],
  object: OBJECTS,
  plain: ['plain'],
  signal: [],
};
