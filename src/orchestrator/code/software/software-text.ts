import type { Language } from '../../../languages/language.ts';
import type {
  LanguageSoftware,
  SandboxSoftware,
  SoftwareVersion,
} from '../../../sandbox/software/software.ts';

const MOST_LIBRARIES = 40;
/** The longest list of libraries, in characters. */
const LONGEST_LIST = 1000;

/** Models ask for these first. They are listed first, if they are installed, in this order. */
const WELL_KNOWN = [
  ...['numpy', 'pandas', 'scipy', 'matplotlib', 'scikit-learn', 'polars', 'sympy', 'networkx'],
  ...['statsmodels', 'seaborn', 'pillow', 'openpyxl', 'python-dateutil', 'pytz', 'pyyaml'],
  ...['beautifulsoup4', 'lxml', 'pydantic', 'jinja2', 'regex', 'tabulate', 'duckdb', 'pyarrow'],
  ...['lodash', 'date-fns', 'dayjs', 'mathjs', 'papaparse', 'zod', 'cheerio'],
];

/** They install others, which is impossible in a sandbox. */
const INSTALLERS = new Set(['pip', 'setuptools', 'wheel', 'npm', 'corepack']);

/**
 * Says which interpreters and libraries programs find. The same software gives the same text, so
 * that services can cache it. Empty if nothing is known.
 */
export function describeSoftware(
  languages: readonly Language[],
  software: SandboxSoftware | undefined = {},
): string {
  const known = languages.map(({ name }) => software[name]).filter((each) => each !== undefined);
  // TypeScript and JavaScript have the same interpreter.
  const lines = known.map(describeInterpreter);
  return [...new Set(lines)].join('\n');
}

function describeInterpreter(software: LanguageSoftware): string {
  const text = describeLibraries(software);
  const noFiles = 'Its programs have no files: there is no /tmp and no OUTPUT_DIR.';
  return software.files === false ? `${text} ${noFiles}` : text;
}

function describeLibraries({ name, version, libraries }: LanguageSoftware): string {
  if (libraries === undefined) return `${name} ${version}.`;
  const usable = libraries.filter((each) => !INSTALLERS.has(each.name.toLowerCase()));
  if (usable.length === 0) {
    return `${name} ${version}, without further libraries. None can be installed.`;
  }
  return `${name} ${version}, with ${list(usable)}. Other libraries cannot be installed.`;
}

function list(libraries: readonly SoftwareVersion[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const { name, version } of libraries.toSorted(byFame)) {
    const part = `${name} ${version}`;
    length += part.length + 2;
    if (parts.length === MOST_LIBRARIES || length > LONGEST_LIST) break;
    parts.push(part);
  }
  const left = libraries.length - parts.length;
  return left === 0 ? parts.join(', ') : `${parts.join(', ')} and ${left} more`;
}

function byFame(one: SoftwareVersion, other: SoftwareVersion): number {
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1);
}

function rank({ name }: SoftwareVersion): number {
  const found = WELL_KNOWN.indexOf(name.toLowerCase());
  return found === -1 ? WELL_KNOWN.length : found;
}
