import { describe, expect, it } from 'vitest';
import {
  givePatch,
  hostOf,
  keyLeaseName,
  newKeyLease,
  readKeyLease,
} from '../../../../src/providers/kubernetes/keys/key-lease.ts';

const REQUEST = 'request.sandboxed-ptc';

function leaseWith(annotations: Readonly<Record<string, unknown>>): unknown {
  const metadata = { name: 'key', resourceVersion: '7', annotations };
  return {
    metadata: { ...metadata, annotations: { 'sandboxed-ptc/holder': 'a.1', ...annotations } },
  };
}

function request(atMs: number): string {
  return JSON.stringify({ hostUid: 'uid', advertise: `at ${atMs}`, atMs, answer: 'none' });
}

describe('the Lease of a key', () => {
  it.each(['a', '../../pods', 'Ä/\u0000', 'x'.repeat(100_000)])('has a name for any id', (id) => {
    expect(keyLeaseName(id)).toMatch(/^sandboxed-ptc-key-[\da-f]{40}$/);
    expect(keyLeaseName(id)).not.toBe(keyLeaseName(`${id} `));
  });

  it('says who has the key and who waits, in their order', () => {
    const lease = readKeyLease(
      leaseWith({ [`${REQUEST}/c.1`]: request(2), [`${REQUEST}/b.1`]: request(1) }),
    );
    expect(lease).toMatchObject({ name: 'key', version: '7', holder: 'a.1' });
    expect(lease?.requests.map(({ id }) => hostOf(id))).toEqual(['b', 'c']);
  });

  it.each([
    ['no object', null],
    ['no metadata', {}],
    ['no holder', { metadata: { name: 'key', resourceVersion: '7' } }],
  ])('is not one that has %s', (_what, object) => {
    expect(readKeyLease(object)).toBeUndefined();
  });

  it.each([
    '{',
    'null',
    '{}',
    '{"hostUid":1,"atMs":1}',
    `{"hostUid":"${'x'.repeat(10_000)}","atMs":1}`,
  ])('has no request where others wrote %.20s', (text) => {
    expect(readKeyLease(leaseWith({ [`${REQUEST}/b.1`]: text }))?.requests).toEqual([]);
  });

  it('has no text about its holder that is too long', () => {
    const lease = readKeyLease(leaseWith({ 'sandboxed-ptc/advertised': 'x'.repeat(501) }));
    expect(lease?.advertised).toBeUndefined();
  });

  it('goes to one who waits as if they had made it, and others keep waiting', () => {
    const lease = readKeyLease(
      leaseWith({ [`${REQUEST}/c.1`]: request(2), [`${REQUEST}/b.1`]: request(1) }),
    );
    const [next] = lease?.requests ?? [];
    if (lease === undefined || next === undefined) throw new Error('no request');
    const value = (path: string): unknown =>
      givePatch(lease, next).find((one) => one.op === 'replace' && one.path === path)?.value;
    const made = newKeyLease('key', next) as { readonly metadata: Record<string, object> };
    expect(value('/metadata/annotations')).toEqual({
      ...made.metadata['annotations'],
      [`${REQUEST}/c.1`]: request(2),
    });
    expect(value('/metadata/ownerReferences')).toEqual(made.metadata['ownerReferences']);
  });
});
