import { isRecord } from '../../../shared/guards.ts';
import { fieldsOf } from '../tools/fields-of.ts';
import type { McpClient, McpRequestOptions } from '../mcp-client.ts';

/** Of resources, and of templates. */
const MAXIMUM_ENTRIES = 5000;
/** Characters of JSON, of all resources or templates. */
const MAXIMUM_SIZE = 2 ** 21;
const MAXIMUM_PAGES = 1000;

/** By this code, a server says that it does not have a method. */
const METHOD_NOT_FOUND = -32_601;

/** What a server has to read, as far as the limits allow. */
export interface ListedResources {
  readonly resources: readonly object[];
  readonly templates: readonly object[];
  /** False if the server has more. */
  readonly complete: boolean;
}

/** Lists the resources of a server and the templates of their URIs, page by page. */
export async function listResources(
  client: McpClient,
  options: McpRequestOptions,
): Promise<ListedResources> {
  const resources = await entriesOf(async (params) => {
    const page = await client.request({ method: 'resources/list', params }, options);
    return { ...page, entries: page.resources };
  });
  const templates = await entriesOf(async (params) => {
    const page = await client.request({ method: 'resources/templates/list', params }, options);
    return { ...page, entries: page.resourceTemplates };
  });
  return {
    resources: resources.entries,
    templates: templates.entries,
    complete: resources.complete && templates.complete,
  };
}

/** Annotations, icons and metadata are left out. */
const FIELDS = ['uri', 'uriTemplate', 'name', 'title', 'description', 'mimeType', 'size'];

interface Page {
  readonly entries: readonly object[];
  readonly nextCursor?: string | undefined;
}

interface Entries {
  readonly entries: readonly object[];
  readonly complete: boolean;
}

async function entriesOf(
  request: (params: { readonly cursor?: string }) => Promise<Page>,
): Promise<Entries> {
  const entries: object[] = [];
  let size = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAXIMUM_PAGES; pages++) {
    const page = await request(cursor === undefined ? {} : { cursor }).catch(noneIfUnknown);
    for (const entry of page.entries) {
      const kept = fieldsOf(entry as Readonly<Record<string, unknown>>, FIELDS);
      size += JSON.stringify(kept).length;
      if (entries.length === MAXIMUM_ENTRIES || size > MAXIMUM_SIZE) {
        return { entries, complete: false };
      }
      entries.push(kept);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return { entries, complete: true };
  }
  return { entries, complete: false };
}

/** Many servers with resources have no templates. */
function noneIfUnknown(error: unknown): Page {
  if (isRecord(error) && error['code'] === METHOD_NOT_FOUND) return { entries: [] };
  throw error;
}
