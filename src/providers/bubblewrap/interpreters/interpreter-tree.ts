import { constants, existsSync } from 'node:fs';
import { access, lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { RUNNER_DIRECTORY } from '../../../sandbox/runner-command.ts';
import { homeDirectory } from '../../../shared/home-directory.ts';
import { unusableInterpreter } from './options.ts';

/** An interpreter that the user chose, and the files of the machine that it needs. */
export interface InterpreterTree {
  /** The path by which it is started in a sandbox. */
  readonly command: string;
  /** Files and directories that the sandbox sees at the same paths. */
  readonly paths: readonly string[];
  /** Links on the way to the interpreter that are not in these directories. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** The prefix of its virtual environment, if it is one. */
  readonly environment?: string;
}

/**
 * What an installation consists of. Not the whole directory, which can have other files: those of a
 * project, if the virtual environment was made in its directory.
 */
const PARTS = ['bin', 'lib', 'lib64', 'libexec', 'share', 'pyvenv.cfg'];

/** Every sandbox sees those parts of these that it may see. */
const SYSTEM_PREFIXES = new Set(['/', '/usr', '/usr/local']);

/** Each sandbox has its own. */
const OWN_DIRECTORIES = ['/tmp', '/proc', '/dev', '/sys', RUNNER_DIRECTORY];

const MOST_LINKS = 20;

/** What is said about one interpreter. */
interface About {
  readonly option: 'python' | 'node';
  readonly path: string;
}

/**
 * Finds the files that a Python needs, without starting it. `pyvenv.cfg` of a virtual environment
 * names the Python that it was made with.
 * @throws PtcError `OPTION_INVALID`
 */
export async function pythonTree(python: string): Promise<InterpreterTree> {
  const about: About = { option: 'python', path: resolve(python) };
  const real = await realProgram(about);
  const environment = dirname(dirname(about.path));
  const configuration = await readFile(join(environment, 'pyvenv.cfg'), 'utf8').catch(() => '');
  const home = /^home\s*=\s*(\/.*\S)/m.exec(configuration)?.[1];
  const realPrefix = prefixOf(real);
  if (home === undefined) {
    return { command: real, paths: await parts(about, [realPrefix]), links: [] };
  }
  const base = dirname(home);
  const isBase = !existsSync(base) || (await hasLibrary(base));
  const paths = await parts(about, [environment, ...(isBase ? [base] : []), realPrefix]);
  return { command: about.path, paths, links: await outerLinks(about, real, paths), environment };
}

/**
 * Finds the files that a Node needs: its installation, or the program alone if it is in no `bin`.
 * @throws PtcError `OPTION_INVALID`
 */
export async function nodeTree(node: string): Promise<InterpreterTree> {
  const about: About = { option: 'node', path: resolve(node) };
  const real = await realProgram(about);
  const isInstalled = basename(dirname(real)) === 'bin';
  const paths = isInstalled ? await parts(about, [prefixOf(real)]) : [real];
  refuseOwn(about, paths);
  return { command: real, paths, links: [] };
}

/**
 * Whether Python's standard library is in a directory. One that has only a link to a Python is not its
 * installation: `~/.local/bin/python3.13`, which uv makes, is beside the user's own files.
 */
async function hasLibrary(prefix: string): Promise<boolean> {
  for (const library of ['lib', 'lib64'].map((name) => join(prefix, name))) {
    const names = await readdir(library).catch(() => []);
    if (names.some((name) => existsSync(join(library, name, 'os.py')))) return true;
  }
  return false;
}

function prefixOf(program: string): string {
  return dirname(dirname(program));
}

async function realProgram({ option, path }: About): Promise<string> {
  try {
    const real = await realpath(path);
    await access(real, constants.X_OK);
    if ((await lstat(real)).isFile()) return real;
  } catch {
    // A link that leads nowhere is as good as no file.
  }
  const link = await readlink(path).catch(() => undefined);
  const why =
    link === undefined
      ? 'is not a program. Name the interpreter itself.'
      : `leads to ${link}, which is not a program. If the environment was made with an interpreter that is gone, make it again.`;
  throw unusableInterpreter(option, path, why);
}

/** The parts of these installations that exist and that sandboxes do not see anyway. */
async function parts(about: About, prefixes: readonly string[]): Promise<string[]> {
  const roots = new Set<string>();
  for (const prefix of prefixes) {
    const real = await realpath(prefix).catch(() => undefined);
    if (real === undefined) {
      const why = `was made with an interpreter in ${prefix}, which is gone. Make the environment again.`;
      throw unusableInterpreter(about.option, about.path, why);
    }
    for (const root of [prefix, real]) if (!SYSTEM_PREFIXES.has(root)) roots.add(root);
  }
  refuseHome(about, [...roots]);
  const found: string[] = [];
  for (const path of [...roots].flatMap((root) => PARTS.map((part) => join(root, part)))) {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined) continue;
    if (![...roots, ...SYSTEM_PREFIXES].some((root) => root !== '/' && isWithin(real, root))) {
      const why = `is part of an installation whose ${path} leads out of it, to ${real}. Use an installation with its own files.`;
      throw unusableInterpreter(about.option, about.path, why);
    }
    found.push(path);
  }
  refuseOwn(about, found);
  return found;
}

/**
 * The files in a home directory are its user's, and not those of an interpreter. So are those in its
 * `.local`: `share` there has what the user's programs keep.
 */
function refuseHome({ option, path }: About, roots: readonly string[]): void {
  const home = homeDirectory();
  const wrong = roots.find(
    (root) => (home !== undefined && isWithin(resolve(home), root)) || basename(root) === '.local',
  );
  if (wrong === undefined) return;
  const why = `would make ${wrong} its installation, which has your own files. Use an interpreter in a directory of its own, such as that of \`python3 -m venv\`, uv, pyenv or nvm.`;
  throw unusableInterpreter(option, path, why);
}

function refuseOwn({ option, path }: About, paths: readonly string[]): void {
  const own = OWN_DIRECTORIES.find((directory) => paths.some((each) => isWithin(each, directory)));
  if (own === undefined) return;
  const why = `is in ${own}, and each sandbox has a ${own} of its own. Move the installation elsewhere.`;
  throw unusableInterpreter(option, path, why);
}

/** The links from the path to the program that are outside of what sandboxes see. */
async function outerLinks(
  { path }: About,
  real: string,
  paths: readonly string[],
): Promise<InterpreterTree['links']> {
  const seen = [...paths, ...['bin', 'lib'].flatMap((name) => [`/usr/${name}`, `/${name}`])];
  const links: { readonly path: string; readonly target: string }[] = [];
  let hop = path;
  for (let count = 0; count < MOST_LINKS && hop !== real; count += 1) {
    if (!seen.some((each) => isWithin(hop, each))) links.push({ path: hop, target: real });
    const target = await readlink(hop).catch(() => undefined);
    if (target === undefined) break;
    hop = resolve(dirname(hop), target);
  }
  return links;
}

/** Whether a path is a directory or something in it. */
function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
