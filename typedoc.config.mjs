// `npm run docs:api`: the API reference, from the docstrings of the package's entry points.
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
const config = {
  entryPoints: Object.values(exports)
    .filter((file) => file.startsWith('./dist/'))
    .map((file) => file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
  tsconfig: 'tsconfig.build.json',
  out: 'api',
  // The front page.
  readme: 'docs/api.md',
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  treatWarningsAsErrors: true,
  // Parts of exported types that nobody needs to name.
  intentionallyNotExported: ['RunEventBody', 'Validation'],
  validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: false },
  // The gate "types" checks them.
  skipErrorChecking: true,
};

export default config;
