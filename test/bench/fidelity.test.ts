import { describe, expect, it } from 'vitest';

interface Outcome {
  readonly id: string;
  readonly plain: string;
  readonly sandbox: string;
}

interface Known {
  readonly line: string;
}

interface Judgement {
  readonly tests: number;
  readonly same: number;
  readonly listed: number;
  readonly beyond: readonly Outcome[];
  readonly gone: readonly string[];
}

interface KnownModule {
  readKnown(this: void, name: string): readonly Known[];
  parseKnown(this: void, text: string): readonly Known[];
  judge(
    this: void,
    place: string,
    outcomes: readonly Outcome[],
    lists: {
      readonly own: readonly Known[];
      readonly others?: readonly Known[];
      readonly isWhole: boolean;
    },
  ): Judgement;
}

const module: KnownModule = await import(
  new URL('../../bench/fidelity/known.mjs', import.meta.url).href
);
const { parseKnown, readKnown } = module;

function judge(place: string, outcomes: readonly Outcome[], own: readonly Known[]): Judgement {
  return module.judge(place, outcomes, { own, isWhole: true });
}

const same = (id: string) => ({ id, plain: 'ok', sandbox: 'ok' });
const differing = (id: string) => ({ id, plain: 'ok', sandbox: 'error PermissionError: no' });

describe('the list of known differences', () => {
  const known = parseKnown(`
# a comment
docker, bubblewrap | test_os.Fifo*.test_make | error PermissionError* | special files are refused
embedded | test_os.* | error* | there are no processes
`);

  it('covers the tests that its pattern matches, in the sandboxes that it names', () => {
    const outcomes = [
      differing('test_os.FifoTests.test_make'),
      differing('test_os.Other.test_make'),
    ];

    expect(judge('docker', outcomes, known)).toMatchObject({
      tests: 2,
      same: 0,
      listed: 1,
      beyond: [{ id: 'test_os.Other.test_make' }],
    });
    expect(judge('embedded', outcomes, known)).toMatchObject({ listed: 2, beyond: [] });
  });

  it('takes a dot for a dot', () => {
    const { beyond } = judge('embedded', [differing('test_os_more.test_make')], known);

    expect(beyond).toHaveLength(1);
  });

  it('does not cover a test that ends otherwise', () => {
    const outcome = { ...differing('test_os.FifoTests.test_make'), sandbox: 'error OSError: full' };

    expect(judge('docker', [outcome], known)).toMatchObject({ listed: 0, beyond: [outcome] });
  });

  it('tells of a line whose tests ran and made no difference', () => {
    const { gone } = judge('docker', [same('test_os.FifoTests.test_make')], known);

    expect(gone).toEqual([
      'docker, bubblewrap | test_os.Fifo*.test_make | error PermissionError* | special files are refused',
    ]);
  });

  it('says nothing of a line whose tests did not run, or that still covers one', () => {
    const outcomes = [same('test_os.A.test_make'), differing('test_os.B.test_make')];

    expect(judge('embedded', outcomes, known).gone).toEqual([]);
    expect(judge('docker', outcomes, known).gone).toEqual([]);
  });

  it('tells of a line that names one test even if other tests did not run', () => {
    const lists = {
      own: parseKnown(
        'docker | test_os.A.test_make | error * | a\ndocker | test_os.* | skipped | b',
      ),
      isWhole: false,
    };
    const { gone } = module.judge('docker', [same('test_os.A.test_make')], lists);

    expect(gone).toEqual(['docker | test_os.A.test_make | error * | a']);
  });

  it('says nothing of a line that only another part needs', () => {
    const others = parseKnown('docker | test_os.A.test_make | error * | a');
    const ran = [same('test_os.A.test_make'), differing('test_os.B.test_make')];
    const judgement = module.judge('docker', ran, { own: [], others, isWhole: true });

    expect(judgement).toMatchObject({ gone: [], beyond: [{ id: 'test_os.B.test_make' }] });
    expect(
      module.judge('docker', [differing('test_os.A.test_make')], {
        own: [],
        others,
        isWhole: true,
      }),
    ).toMatchObject({ listed: 1, beyond: [] });
  });

  it('does not take a line that covers whatever happens', () => {
    expect(() => parseKnown('docker | test_os.* | * | anything')).toThrow(
      'A known difference must say how the test ends, which "docker | test_os.* | * | anything" does not.',
    );
  });

  it('does not take a line without a reason', () => {
    expect(() => parseKnown('docker | test_os.Tests.test_make | error')).toThrow(
      'A known difference is "SANDBOXES | TEST | END | REASON", not "docker | test_os.Tests.test_make | error".',
    );
  });
});

describe('the lists of this repository', () => {
  it.each(['bash', 'python', 'python-source', 'test262', 'typescript'])(
    'has a reason for each difference of %s',
    (name) => {
      expect(() => readKnown(name)).not.toThrow();
    },
  );
});
