import type { SandboxProvider } from '../../sandbox/sandbox.ts';
import { UsageError } from '../failure.ts';
import { importDefault } from './import-default.ts';

const METHODS = ['create', 'probe', 'close'] as const;

/** Whether `--provider` names a module and not a provider of this package. */
export function isModulePath(text: string): boolean {
  return /[/\\]|\.[cm]?[jt]s$/.test(text);
}

/**
 * Loads the provider of a module: its default export is a provider for Python.
 * @throws UsageError with what is wrong with the module.
 */
export async function loadProviderModule(path: string): Promise<SandboxProvider> {
  const exported = await importDefault(path);
  const found = Object(exported) as Partial<SandboxProvider>;
  const missing = METHODS.filter((method) => typeof found[method] !== 'function');
  if (missing.length > 0 || typeof found.name !== 'string' || !Array.isArray(found.languages)) {
    throw new UsageError(
      `${path} must have a provider as its default export, as in: export default myProvider(); A provider has a name, languages, and the methods ${METHODS.join(', ')}.`,
    );
  }
  if (!found.languages.includes('python')) {
    throw new UsageError(
      `The provider of ${path} has no Python, in which the program is written that looks at the sandbox. Add python to its languages.`,
    );
  }
  return exported as SandboxProvider;
}
