import { PtcError } from '../shared/errors.ts';
import { nearestName } from '../shared/nearest-name.ts';
import { invalidReturn } from '../shared/options/option-values.ts';
import type { OpenApiDocument } from './document/document.ts';
import { operationsOf, type FoundOperation } from './document/operations.ts';
import type { OpenApiToolsOptions } from './options.ts';

/** More tools than that are of no use to a model, and each takes time to make. */
const MAXIMUM_OPERATIONS = 5000;

/** So many names of operations are shown to whoever names one that is missing. */
const MOST_EXAMPLES = 10;

/**
 * The operations of a document that become tools.
 * @throws PtcError `OPTION_INVALID` for a name that no operation has, and for too many operations.
 */
export function selectOperations(
  document: OpenApiDocument,
  wanted: OpenApiToolsOptions['operations'],
): readonly FoundOperation[] {
  const isWanted = typeof wanted === 'function' ? wanted : listed(document, wanted);
  const selected: FoundOperation[] = [];
  for (const found of operationsOf(document)) {
    const answer: unknown = isWanted(found.operation);
    if (typeof answer !== 'boolean') throw invalidReturn('operations', answer, 'true or false');
    if (answer) selected.push(found);
    if (selected.length > MAXIMUM_OPERATIONS) {
      throw new PtcError(
        'OPTION_INVALID',
        `The document has more than ${MAXIMUM_OPERATIONS} operations that would be tools. Choose fewer with operations.`,
        { details: { option: 'operations' } },
      );
    }
  }
  return selected;
}

function listed(
  document: OpenApiDocument,
  names: readonly string[] | undefined,
): (operation: FoundOperation['operation']) => boolean {
  if (names === undefined) return () => true;
  const known = new Set<string>();
  for (const { operation } of operationsOf(document)) {
    known.add(operation.name);
    if (operation.operationId !== undefined) known.add(operation.operationId);
  }
  const wanted = new Set(names);
  for (const name of wanted) {
    if (known.has(name)) continue;
    const nearest = nearestName(name, [...known]);
    const advice =
      nearest === undefined ? ` It has ${examples(document)}.` : ` Did you mean ${nearest}?`;
    throw new PtcError(
      'OPTION_INVALID',
      `operations: the document has no operation ${JSON.stringify(name.slice(0, 200))}.${advice}`,
      { details: { option: 'operations', operation: name } },
    );
  }
  return ({ name, operationId }) =>
    wanted.has(name) || (operationId !== undefined && wanted.has(operationId));
}

function examples(document: OpenApiDocument): string {
  const names = [...operationsOf(document)].map(({ operation }) => operation.name);
  const shown = names.slice(0, MOST_EXAMPLES).join(', ');
  const left = names.length - MOST_EXAMPLES;
  if (names.length === 0) return 'none';
  return left > 0 ? `${shown} and ${left} more` : shown;
}
