import type { LanguageName } from '../../protocol/messages.ts';
import type { SandboxProvider } from '../../sandbox/sandbox.ts';
import { PtcError } from '../../shared/errors.ts';

/** @throws PtcError `LANGUAGE_UNSUPPORTED` for a language that the provider does not run. */
export function checkLanguages(
  provider: SandboxProvider,
  languages: readonly LanguageName[],
): void {
  const missing = languages.filter((language) => !provider.languages.includes(language));
  if (missing.length === 0) return;
  throw new PtcError(
    'LANGUAGE_UNSUPPORTED',
    `The provider ${provider.name} does not run ${missing.join(', ')}, only ${provider.languages.join(', ')}. Use another provider, such as docker, or other languages.`,
    { details: { provider: provider.name, languages: missing } },
  );
}

/** The error for a persistent session that the provider cannot have. */
export function persistenceUnsupported({ name }: SandboxProvider): PtcError {
  return new PtcError(
    'PERSISTENCE_UNSUPPORTED',
    `A sandbox of the provider ${name} ends with its process. Use Docker or Kubernetes for persistent sessions.`,
    { details: { provider: name } },
  );
}
