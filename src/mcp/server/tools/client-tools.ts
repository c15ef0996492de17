import { catalogOf, withSearchTools } from '../../../orchestrator/code/tool-catalog.ts';
import type { ToolSet } from '../../../tools/registry/tool-set.ts';
import type { Tool } from '../../../tools/tool.ts';
import type { Served } from '../served.ts';

/** The tools as they are now. */
export interface ClientTools {
  /** Those that the server was given. */
  readonly own: ToolSet;
  readonly all: ToolSet;
  /** Those with which the model of a client searches without a program. */
  readonly search: readonly Tool[];
}

/** The tools of a server, with those to search if its programs find tools by search. */
export function clientTools({ tools, catalog }: Served): ClientTools {
  const own = tools.snapshot();
  const search = catalogOf(own, catalog)?.directSearchTools(catalog.languages) ?? [];
  return { own, all: search.length === 0 ? own : withSearchTools(own, search), search };
}
