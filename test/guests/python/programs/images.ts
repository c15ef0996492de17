import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';
import { PIXEL } from '../../../support/images.ts';

const DATA = `import base64\ndata = base64.b64decode("${PIXEL}")`;
const SHOWN = { mediaType: 'image/png', data: PIXEL, widthPixels: 1, heightPixels: 1 };

/** Stands for matplotlib, which not every sandbox has: what `show` needs of it. */
const PLOTS = `import sys, types
class Figure:
    def savefig(self, file, **options):
        file.write(data)
figures = {1: Figure(), 2: Figure()}
package = types.ModuleType("matplotlib")
package.figure = types.ModuleType("matplotlib.figure")
package.figure.Figure = Figure
sys.modules.update({"matplotlib": package, "matplotlib.figure": package.figure})`;

/** What a program shows and why that is refused, and the type of the error. */
const REFUSED: readonly (readonly [code: string, type: string, message: RegExp])[] = [
  ['show(b"<svg/>")', 'ValueError', /takes a PNG, JPEG, GIF or WebP image/],
  ['show(7)', 'TypeError', /matplotlib figure, a PIL image, or the path or bytes .*not a int/],
  ['show("/tmp/missing.png")', 'FileNotFoundError', /missing\.png/],
  ['show(data + bytes(5_000_000))', 'ValueError', /at most 5,000,000 bytes.*5,000,070/],
  ['for _ in range(11): show(data)', 'ValueError', /can show 10 images/],
];

/** What programs in Python show. */
export function pythonImages(): TestGroup {
  return {
    name: 'images in Python',
    options: {},
    tests: [
      test('shows bytes, and a file by its path', async (bench) => {
        const code = `${DATA}
import pathlib
path = pathlib.Path("/tmp/one.png")
path.write_bytes(data)
show(bytearray(data)); await show(path); show(str(path)); path.unlink()`;
        assertMatches(await bench.run(code), { images: [SHOWN, SHOWN, SHOWN], imageProblems: [] });
      }),
      test('shows an image that is larger than a frame', async (bench) => {
        const large = await bench.run(`${DATA}\nshow(data + bytes(4_000_000))`);
        assertMatches(large, { status: 'ok', images: [{ widthPixels: 1 }] });
        assertMatches(Buffer.from(large.images[0]?.data ?? '', 'base64').length, 4_000_070);
      }),
      test(
        'shows images of threads, each whole',
        async (bench) => {
          const code = `${DATA}
import threading
threads = [threading.Thread(target=show, args=(data + bytes([n]) * 400_000,)) for n in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
None`;
          const { images } = await bench.run(code);
          const lasts = images.map(({ data }) => {
            const bytes = Buffer.from(data, 'base64').subarray(70);
            return bytes.every((byte) => byte === bytes[0]) ? (bytes[0] ?? -1) : -1;
          });
          assertMatches(
            lasts.toSorted((a, b) => a - b),
            [0, 1, 2, 3],
          );
        },
        { needs: 'threads' },
      ),
      test('a figure as the last expression is shown, and not as text', async (bench) => {
        const { stdout, images, value } = await bench.run(`${DATA}\n${PLOTS}\nfigures[1]`);
        assertMatches({ stdout, images, value }, { stdout: '', images: [SHOWN], value: undefined });
      }),
      test('nothing stays shown for the next program', async (bench) => {
        assertMatches(await bench.run('1'), { images: [] });
      }),
      test('an image of a program that fails is shown', async (bench) => {
        const { status, images } = await bench.run(`${DATA}\nshow(data)\n1 / 0`);
        assertMatches({ status, images }, { status: 'error', images: [SHOWN] });
      }),
      ...REFUSED.map(([code, type, message]) =>
        test(`refuses ${JSON.stringify(code)}`, async (bench) => {
          assertMatches(await bench.run(`${DATA}\n${code}`), { error: { type, message, line: 3 } });
        }),
      ),
      test('a program can use the name for something else', async (bench) => {
        assertMatches(await bench.run('show = 42\nprint(show)\ndel show'), { stdout: '42\n' });
      }),
    ],
  };
}
