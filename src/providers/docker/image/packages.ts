import { createHash } from 'node:crypto';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';

/** What an image has in addition to Python, Node and bash. */
export interface ImagePackages {
  /** Libraries for Python, as pip names them: `pandas==2.3.3`, `httpx[http2]`. @default none */
  readonly pip?: readonly string[];
  /** Packages for Node, as npm names them: `lodash`, `@scope/name@1.2.3`. @default none */
  readonly npm?: readonly string[];
  /** Packages of Debian: `git`, `python3-pandas`. @default none */
  readonly apt?: readonly string[];
  /**
   * The image to which they are added. It must be of Debian or Ubuntu.
   * @default debian:trixie-slim
   */
  readonly from?: string;
}

export const PACKAGES: OptionsObject<ImagePackages> = {
  of: 'packages',
  names: { pip: 'array', npm: 'array', apt: 'array', from: 'text' },
  page: 'docs/libraries.md',
  otherWords: { python: 'pip', node: 'npm', debian: 'apt', base: 'from', baseImage: 'from' },
};

const MOST_PACKAGES = 200;

/**
 * Names are put into commands of a shell, as words in single quotes. So they contain no quote, space,
 * backslash or line break, and they are not options, addresses or paths of files.
 */
const NAMES = {
  pip: /^[a-z\d](?:[\w.-]{0,60}[a-z\d])?(?:\[[\w.-]{1,60}(?:,[\w.-]{1,60}){0,20}\])?(?:(?:[=!~<>]=|<|>)[\w.*+!]{1,40}(?:,(?:[=!~<>]=|<|>)[\w.*+!]{1,40}){0,9})?$/i,
  npm: /^(?:@[a-z\d][\w.-]{0,60}\/)?[a-z\d][\w.-]{0,60}(?:@(?:[~^]|[<>]=?)?\w[\w.+-]{0,40})?$/i,
  apt: /^[a-z\d][a-z\d+.-]{0,60}[a-z\d+](?:=[\w.+~:-]{1,80})?$/,
} as const;

const EXAMPLES = {
  pip: 'pandas==2.3.3 or httpx[http2]',
  npm: 'lodash or @scope/name@1.2.3',
  apt: 'git or python3-pandas',
} as const;

const IMAGE = /^[a-z\d][\w./:@-]{0,254}$/i;

/** @throws PtcError `OPTION_INVALID` for a name that could be anything but a package. */
export function checkPackages(packages: ImagePackages): void {
  checkOptionNames(packages, PACKAGES);
  for (const kind of ['pip', 'npm', 'apt'] as const) {
    const names = packages[kind] ?? [];
    if (names.length > MOST_PACKAGES) {
      throw invalidOption(`packages.${kind}`, names.length, `at most ${MOST_PACKAGES} names`);
    }
    const wrong = names.find((name) => typeof name !== 'string' || !NAMES[kind].test(name));
    if (wrong !== undefined) {
      const expected = `names of packages, such as ${EXAMPLES[kind]}, without spaces, options, addresses or paths`;
      throw invalidOption(`packages.${kind}`, wrong, expected);
    }
  }
  const { from } = packages;
  if (from !== undefined && !IMAGE.test(from)) {
    throw invalidOption('packages.from', from, 'the name of an image, such as debian:trixie-slim');
  }
}

/** The lines that are added to the Dockerfile of this package. The packages must have been checked. */
export function packageLines({ apt = [], pip = [], npm = [] }: ImagePackages): string {
  const steps = [
    ...(apt.length > 0 ? [`apt-get update; ${INSTALL} ${quoted(apt)}`] : []),
    ...(pip.length > 0 ? [`${PIP} ${quoted(pip)}`] : []),
    ...(npm.length > 0 ? [`${NPM} ${quoted(npm)}; ${KEEP_NPM}`] : []),
  ];
  if (steps.length === 0) return '';
  const commands = steps.map((step) => `RUN set -eu; ${step}; ${CLEAN}`);
  return ['', 'USER 0:0', ...commands, 'USER 20000:20000', ''].join('\n');
}

const INSTALL = 'DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends --';

/** The Python that runs programs installs them. */
const PIP =
  `if ! python3 -m pip --version >/dev/null 2>&1; then apt-get update; ${INSTALL} python3-pip; fi; ` +
  'PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore python3 -m pip install --no-cache-dir --no-input --';

const NPM =
  `added=; if ! command -v npm >/dev/null; then apt-get update; ${INSTALL} npm; added=npm; fi; ` +
  'mkdir -p /opt/packages; cd /opt/packages; ' +
  'if [ -d /node_modules ]; then mv /node_modules .; [ -e package.json ] || cp /package.json .; fi; ' +
  'npm install --no-audit --no-fund --omit=dev --';

/**
 * Programs are in `/tmp`, and find packages in directories above it. `package.json` stays, for an image
 * that has this one as its base: npm removes packages that are not in it.
 */
const KEEP_NPM =
  'mv node_modules /node_modules; chmod -R a+rX /node_modules; cd /; rm -rf /root/.npm; ' +
  'if [ -n "$added" ]; then DEBIAN_FRONTEND=noninteractive apt-get purge --yes --auto-remove npm; fi';

/** As in the Dockerfile of this package. */
const CLEAN =
  'rm -rf /var/lib/apt/lists/* /var/cache/apt/*; find / -xdev -type f -perm /6000 -exec chmod a-s {} +';

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' ');
}

/** The name of an image, which changes with everything that it is built from. */
export function referenceOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `sandboxed-ptc:${hash.digest('hex').slice(0, 12)}`;
}
