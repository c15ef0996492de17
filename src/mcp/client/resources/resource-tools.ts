import type { TimeLimits } from '../../../tools/limits/call-deadline.ts';
import { toTool } from '../../../tools/define-tool.ts';
import type { Tool } from '../../../tools/tool.ts';
import { assertSendable } from '../tools/call-result.ts';
import type { Connection } from '../connection/connection.ts';
import { fieldsOf } from '../tools/fields-of.ts';
import { requestOptions } from '../request-options.ts';
import type { LeftOutTool } from '../tools/warn-of-left-out.ts';
import { listResources } from './list-resources.ts';

const TEXT = { type: 'string' };
const ABOUT = { name: TEXT, title: TEXT, description: TEXT, mimeType: TEXT };

const LISTED = {
  type: 'object',
  properties: {
    resources: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          uri: TEXT,
          ...ABOUT,
          size: { type: 'number', description: 'In bytes.' },
        },
        required: ['uri', 'name'],
      },
    },
    templates: {
      type: 'array',
      items: {
        type: 'object',
        properties: { uriTemplate: { ...TEXT, description: 'As in RFC 6570.' }, ...ABOUT },
        required: ['uriTemplate', 'name'],
      },
    },
    complete: { type: 'boolean', description: 'False if the server has more.' },
  },
  required: ['resources', 'templates', 'complete'],
};

const READ = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      uri: TEXT,
      mimeType: TEXT,
      text: { ...TEXT, description: 'Missing if the content is binary.' },
      data: { ...TEXT, description: 'Binary content, in base64.' },
    },
    required: ['uri'],
  },
};

/** A longer URI is refused before the server gets it. */
const LONGEST_URI = 8192;

/**
 * The tools with which programs list and read the resources of a server. Their names are those of
 * no server's tools: a server that has tools of these names keeps its own.
 */
export function resourceTools(
  connection: Pick<Connection, 'use'>,
  limits: TimeLimits,
): readonly Tool<unknown>[] {
  const list = toTool<unknown>({
    name: 'list_resources',
    description:
      'Lists the resources that read_resource can read, and the templates of further ones.',
    outputSchema: LISTED,
    ...limits,
    run: async (_input, context) => {
      const options = requestOptions(context);
      const listed = await connection.use(async ({ client }) => listResources(client, options));
      assertSendable(listed);
      return listed;
    },
  });
  const read = toTool<unknown>({
    name: 'read_resource',
    description:
      'Reads a resource. Returns its contents: most resources have one, a folder may have several.',
    inputSchema: {
      type: 'object',
      properties: {
        uri: {
          ...TEXT,
          maxLength: LONGEST_URI,
          description: 'The uri of a resource, or a uriTemplate that was filled in.',
        },
      },
      required: ['uri'],
      additionalProperties: false,
    },
    outputSchema: READ,
    ...limits,
    run: async (input, context) => {
      const { uri } = input as { readonly uri: string };
      const request = { method: 'resources/read', params: { uri } } as const;
      const options = requestOptions(context);
      const { contents } = await connection.use(async ({ client }) =>
        client.request(request, options),
      );
      const kept = contents.map(readContent);
      assertSendable(kept);
      return kept;
    },
  });
  return [list, read];
}

function readContent(content: object): object {
  const { blob: data, ...rest } = content as Readonly<Record<string, unknown>>;
  return fieldsOf({ ...rest, data }, ['uri', 'mimeType', 'text', 'data']);
}

/** The tools for resources beside those of the server, which keep their names. */
export function beside(
  own: readonly Tool<unknown>[],
  added: readonly Tool<unknown>[],
): { readonly tools: readonly Tool<unknown>[]; readonly leftOut: readonly LeftOutTool[] } {
  const taken = new Set(own.map(({ identifier }) => identifier));
  const isFree = ({ identifier }: Tool<unknown>): boolean => !taken.has(identifier);
  return {
    tools: [...own, ...added.filter((tool) => isFree(tool))],
    leftOut: added
      .filter((tool) => !isFree(tool))
      .map(({ name }) => ({
        name: `${name} for its resources`,
        reason: 'the server has a tool of this name',
      })),
  };
}
