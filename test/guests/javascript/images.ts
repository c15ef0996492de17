import { assertMatches } from '../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';
import { PIXEL } from '../../support/images.ts';

const DATA = `var data = Uint8Array.from(atob("${PIXEL}"), (one) => one.charCodeAt(0));`;
const SHOWN = { mediaType: 'image/png', data: PIXEL, widthPixels: 1, heightPixels: 1 };

/** What a program shows and why that is refused. */
const REFUSED: readonly (readonly [code: string, type: string, message: RegExp])[] = [
  ['show(new Uint8Array(9));', 'TypeError', /takes a PNG, JPEG, GIF or WebP image/],
  ['show({});', 'TypeError', /bytes of a PNG, JPEG, GIF or WebP image, as a Uint8Array/],
  ['show();', 'TypeError', /as a Uint8Array/],
  ['show(grown(5e6));', 'RangeError', /at most 5000000 bytes, .*5000070/],
  ['for (let i = 0; i < 11; i += 1) show(data);', 'RangeError', /can show 10 images/],
];

const GROWN = `var grown = (more) => { const all = new Uint8Array(data.length + more); all.set(data); return all; };`;

/** What programs in JavaScript show. */
export function javascriptImages(): TestGroup {
  return {
    name: 'images in JavaScript',
    options: { languages: ['javascript', 'typescript'] },
    tests: [
      test('shows bytes, in any of their forms', async (bench) => {
        const code = `${DATA} show(data); show(data.buffer); show(Buffer.from(data)); console.log('on');`;
        assertMatches(await bench.run(code), {
          stdout: 'on\n',
          images: [SHOWN, SHOWN, SHOWN],
          imageProblems: [],
        });
      }),
      test(
        'shows a file by its path',
        async (bench) => {
          const code = `${DATA} require('fs').writeFileSync('/tmp/one.png', data); show('/tmp/one.png');`;
          assertMatches(await bench.run(code), { images: [SHOWN] });
        },
        { needs: 'files' },
      ),
      test('shows an image that is larger than a frame', async (bench) => {
        const { images } = await bench.run(`${DATA} ${GROWN} show(grown(4e6));`);
        assertMatches(Buffer.from(images[0]?.data ?? '', 'base64').length, 4_000_070);
      }),
      test('shows it whatever the program has patched', async (bench) => {
        const code = `${DATA} btoa = () => ''; Uint8Array.prototype.subarray = () => []; String.fromCharCode = () => '';
Math.min = () => 0; show(data);`;
        assertMatches(await bench.run(code), { images: [SHOWN] });
      }),
      ...REFUSED.map(([code, type, message]) =>
        test(`refuses ${JSON.stringify(code)}`, async (bench) => {
          assertMatches(await bench.run(`${DATA} ${GROWN}\n${code}`), {
            error: { type, message, line: 2 },
          });
        }),
      ),
    ],
  };
}
