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

/** Stands for its module with the functions that know the open figures, which is adapted when it is first imported. */
const PYPLOT = `import os, shutil, sys, tempfile
directory = tempfile.mkdtemp()
os.mkdir(f"{directory}/matplotlib")
with open(f"{directory}/matplotlib/__init__.py", "w"): pass
with open(f"{directory}/matplotlib/pyplot.py", "w") as file: _ = file.write('''
import base64
class Figure:
    def __init__(self, number): self.number = number
    def savefig(self, file, **options): file.write(base64.b64decode("${PIXEL}"))
open_figures = {}
def figure(number): return open_figures.setdefault(number, Figure(number))
def get_fignums(): return sorted(open_figures)
def close(figure): del open_figures[figure.number]
def show(): raise RuntimeError("there is no window")
''')
sys.path.insert(0, directory)
for name in list(sys.modules):
    if name.partition(".")[0] == "matplotlib": del sys.modules[name]`;

/** Others that `show` takes: an image of PIL, what belongs to a figure, and a WebP image of one pixel. */
const OTHERS = `class Picture:
    def getbands(self): return ("R", "G", "B")
    def save(self, file, format): file.write(data)
class Plot:
    def savefig(self, file, **options): file.write(data)
class Axes:
    figure = Plot()
webp = b"RIFF" + (22).to_bytes(4, "little") + b"WEBPVP8X" + (10).to_bytes(4, "little") + bytes(10)`;

/** What a program shows and why that is refused, and the type of the error. */
const REFUSED: readonly (readonly [code: string, type: string, message: RegExp])[] = [
  ['show(b"<svg/>")', 'ValueError', /takes a PNG, JPEG, GIF or WebP image/],
  ['show(7)', 'TypeError', /matplotlib figure, a PIL image, or the path or bytes .*not a int/],
  ['show("/tmp/missing.png")', 'FileNotFoundError', /missing\.png/],
  ['show(data + bytes(5_000_000))', 'ValueError', /at most 5,000,000 bytes.*5,000,070/],
  [
    'with open("/tmp/long.png", "wb") as file: file.truncate(6_000_000)\nshow("/tmp/long.png")',
    'ValueError',
    // No more is read than shows that it is too long.
    /at most 5,000,000 bytes.*5,000,001/,
  ],
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
          assertMatches(await bench.run(`${DATA}\n${code}`), {
            error: { type, message, line: 2 + code.split('\n').length },
          });
        }),
      ),
      test('a program can show as many as the one before it', async (bench) => {
        const { images } = await bench.run(`${DATA}\nfor _ in range(10): show(data)`);
        assertMatches(images.length, 10);
      }),
      test('shows a PIL image, what belongs to a figure, and WebP', async (bench) => {
        const code = `${DATA}\n${OTHERS}\nshow(Picture()); show(Axes()); show(webp)`;
        const { images } = await bench.run(code);
        assertMatches(
          images.map(({ mediaType, widthPixels }) => [mediaType, widthPixels]),
          [
            ['image/png', 1],
            ['image/png', 1],
            ['image/webp', 1],
          ],
        );
      }),
      test('plt.show() shows all open figures once, and closes them', async (bench) => {
        const code = `${PYPLOT}
import matplotlib.pyplot as plt
_ = plt.figure(1), plt.figure(2)
plt.show()
plt.show()
_ = plt.figure(3)
plt.show(block=False)
print(plt.get_fignums())
sys.path.remove(directory)
shutil.rmtree(directory)
for name in list(sys.modules):
    if name.partition(".")[0] == "matplotlib": del sys.modules[name]`;
        const { images, stdout, error } = await bench.run(code);
        assertMatches(
          { images, stdout, error },
          { images: [SHOWN, SHOWN, SHOWN], stdout: '[]\n', error: undefined },
        );
      }),
      test('a program can use the name for something else', async (bench) => {
        assertMatches(await bench.run('show = 42\nprint(show)\ndel show'), { stdout: '42\n' });
      }),
    ],
  };
}
