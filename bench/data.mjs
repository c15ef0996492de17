// Measures what files of a session cost, and sandboxes with libraries for data.

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bubblewrapProvider } from '../dist/providers/bubblewrap/index.js';
import { buildImage, dockerProvider } from '../dist/providers/docker/index.js';
import { first, openExecutor, run } from './measures.mjs';
import { interleave, timed } from './statistics.mjs';

const REQUESTS = 100;
const SMALL = Buffer.alloc(4096, 'x');
const BIG = Buffer.alloc(10_000_000, 'x');
const PLOTS = 5;
const STARTS = 15;
/** Where Debian installs them. */
const LIBRARIES = '/usr/lib/python3/dist-packages';
const PACKAGES = { apt: ['python3-pandas', 'python3-matplotlib'] };

const PLOT = `import matplotlib.pyplot as plt
plt.plot([1, 4, 9])
plt.show()`;
/** The same in a bare interpreter, which is ready when it prints, and plots when it reads. */
const BARE_PLOT = `import io, os, select, sys, time, site, types, json
site.main()
os.environ.update(MPLCONFIGDIR="/tmp/matplotlib", XDG_CACHE_HOME="/tmp/cache")
os.write(1, b"1")
os.read(0, 1)
import matplotlib.pyplot as plt
plt.plot([1, 4, 9])
plt.savefig(io.BytesIO(), format="png", bbox_inches="tight")
os.write(1, b"1")
os.read(0, 1)`;

/** One of many requests that read or write 4 KB, in turn. */
export async function smallFile({ files }) {
  const total = await timed(async () => {
    for (let index = 0; index < REQUESTS / 2; index += 1) {
      await files.write('small', SMALL);
      await files.read('small');
    }
  });
  return total / REQUESTS;
}

/** 10 MB into a file and back. */
export async function bigFile({ files }) {
  const duration = await timed(async () => {
    await files.write('big', BIG);
    await files.read('big');
  });
  await files.remove('big');
  return duration;
}

/** The first plot of a session that is open, and of a bare interpreter that has started. */
export async function plot({ provider, floor, onProgress }) {
  const image =
    provider.name === 'docker' ? await buildImage({ ...PACKAGES, onProgress }) : undefined;
  const withLibraries = image === undefined ? bubblewrapProvider() : dockerProvider({ image });
  const executor = openExecutor(withLibraries);
  try {
    if (await lacks('matplotlib', withLibraries, onProgress)) return undefined;
    const { value, bare } = await interleave(PLOTS, {
      async value() {
        const session = await executor.acquire();
        await run(session, 'pass');
        const duration = await timed(async () => {
          const { images } = await run(session, PLOT);
          if (images.length !== 1) throw new Error('The program showed no plot.');
        });
        await session.release();
        return duration;
      },
      bare: () => floor.workTimed(BARE_PLOT, image),
    });
    return { value, floor: bare };
  } finally {
    await executor.close();
    await withLibraries.close();
  }
}

/** The first result of a new sandbox, with pandas among what is installed, and without. */
export async function coldPandas({ provider, onProgress }) {
  const places =
    provider.name === 'docker' ? await openImages(onProgress) : await openEnvironments();
  const executors = places.providers.map((one) => openExecutor(one));
  try {
    if (await lacks('pandas', places.providers[0], onProgress)) return undefined;
    // What is made once is not measured.
    for (const executor of executors)
      for (let start = 0; start < 3; start += 1) await first(executor);
    const [withPandas, without] = executors;
    const { value, floor } = await interleave(STARTS, {
      value: () => first(withPandas),
      floor: () => first(without),
    });
    return { value, floor };
  } finally {
    for (const executor of executors) await executor.close();
    for (const one of places.providers) await one.close();
    await places.remove();
  }
}

async function openImages(onProgress) {
  const image = await buildImage({ ...PACKAGES, onProgress });
  return { providers: [dockerProvider({ image }), dockerProvider()], remove: async () => {} };
}

/**
 * Two virtual environments, of which one has links to the libraries of the system. Its `.pth` files are left out: Python runs
 * them at each start, and pandas has none. Sandboxes of root are users that must read both.
 */
async function openEnvironments() {
  const directory = await mkdtemp('/var/tmp/sandboxed-ptc-bench-');
  await chmod(directory, 0o755);
  const open = async (name) => {
    const environment = join(directory, name);
    await promisify(execFile)('/usr/bin/python3', ['-m', 'venv', '--without-pip', environment]);
    return environment;
  };
  const [withPandas, without] = [await open('with'), await open('without')];
  const [version] = await readdir(join(withPandas, 'lib'));
  const own = join(withPandas, 'lib', version, 'site-packages');
  for (const name of await readdir(LIBRARIES)) {
    if (!name.endsWith('.pth')) await symlink(join(LIBRARIES, name), join(own, name));
  }
  const providers = [withPandas, without].map((environment) =>
    bubblewrapProvider({ python: join(environment, 'bin/python') }),
  );
  return { providers, remove: () => rm(directory, { recursive: true }) };
}

/** Whether a library is missing, which is said. */
async function lacks(library, provider, onProgress) {
  const software = await provider.software?.();
  const isThere = software?.python?.libraries?.some(({ name }) => name === library) === true;
  if (!isThere) onProgress(`${provider.name}: not measured, ${library} is not installed`);
  return !isThere;
}
