import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** A package as `npm` installs it. */
export interface NpmPackage {
  /** What its `package.json` has. */
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly [field: string]: unknown;
  };
  /** Texts of its files, by their paths. */
  readonly files: Readonly<Record<string, string>>;
}

export interface NpmRegistry extends AsyncDisposable {
  /** Its address, for the setting `registry` of npm. */
  readonly url: string;
  /** The paths that were asked for, in their order. */
  readonly requests: readonly string[];
}

/** What `npm pack --json` prints of each package. */
interface Packed {
  readonly filename: string;
  readonly integrity: string;
  readonly shasum: string;
}

/** A registry that has these packages, as `npm pack` packs them. The last version of a name is its `latest`. */
export async function startNpmRegistry(
  packages: readonly NpmPackage[],
  address: string,
): Promise<NpmRegistry> {
  const tarballs = await pack(packages);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    requests.push(path);
    const tarball = tarballs.find(({ packed }) => packed.filename === path);
    const versions = tarballs.filter(({ manifest }) => manifest.name === path);
    if (tarball !== undefined) {
      response.setHeader('content-type', 'application/octet-stream').end(tarball.bytes);
    } else if (versions.length > 0) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(packument(path, versions, `http://${request.headers.host}`)));
    } else {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'Not found' }));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    url: `http://${address}:${port}/`,
    requests,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

interface Tarball {
  readonly manifest: NpmPackage['manifest'];
  readonly packed: Packed;
  readonly bytes: Buffer;
}

/** What a registry says of a package: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
function packument(name: string, tarballs: readonly Tarball[], origin: string): object {
  const versions = tarballs.map(({ manifest, packed: { filename, integrity, shasum } }) => [
    manifest.version,
    { ...manifest, dist: { tarball: `${origin}/${filename}`, integrity, shasum } },
  ]);
  const latest = tarballs.at(-1)?.manifest.version;
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
}

async function pack(packages: readonly NpmPackage[]): Promise<Tarball[]> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-registry-'));
  try {
    for (const [index, { manifest, files }] of packages.entries()) {
      const all = { ...files, 'package.json': JSON.stringify(manifest) };
      for (const [path, text] of Object.entries(all)) {
        const file = join(directory, String(index), path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
      }
    }
    const paths = packages.map((_, index) => `./${index}`);
    const args = ['pack', '--json', '--ignore-scripts', '--cache', join(directory, 'cache')];
    const { stdout } = await promisify(execFile)('npm', [...args, ...paths], { cwd: directory });
    const packed = JSON.parse(stdout) as readonly Packed[];
    return await Promise.all(
      packages.map(async ({ manifest }, index) => {
        const one = packed[index];
        if (one === undefined) throw new Error(`npm did not pack ${manifest.name}: ${stdout}`);
        return { manifest, packed: one, bytes: await readFile(join(directory, one.filename)) };
      }),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}
