// JSON Schemas like the request bodies of GitHub's REST API.

const string = { type: 'string' };
const boolean = { type: 'boolean' };
const count = { type: 'integer' };
const strings = { type: 'array', items: string };
const nullableText = { type: ['string', 'null'] };

function open(properties, required = []) {
  return { type: 'object', properties, required };
}

const label = {
  oneOf: [
    string,
    open({ id: count, name: string, description: nullableText, color: nullableText }),
  ],
};

const annotation = open(
  {
    path: string,
    start_line: count,
    end_line: count,
    annotation_level: { enum: ['notice', 'warning', 'failure'] },
    message: string,
    raw_details: string,
  },
  ['path', 'start_line', 'end_line', 'annotation_level', 'message'],
);

const checkRun = {
  name: string,
  head_sha: { type: 'string', pattern: '^[0-9a-f]{40}$' },
  details_url: { type: 'string', format: 'uri' },
  started_at: { type: 'string', format: 'date-time' },
  output: open(
    { title: string, summary: string, annotations: { type: 'array', items: annotation } },
    ['title', 'summary'],
  ),
};

const pattern = (type) =>
  open(
    {
      type: { enum: [type] },
      parameters: open(
        {
          name: string,
          negate: boolean,
          operator: { enum: ['starts_with', 'ends_with', 'contains', 'regex'] },
          pattern: string,
        },
        ['operator', 'pattern'],
      ),
    },
    ['type'],
  );

const bare = (type) => open({ type: { enum: [type] } }, ['type']);

const access = {
  anyOf: [
    { type: 'null' },
    open({ users: strings, teams: strings, apps: strings }, ['users', 'teams']),
  ],
};

export const OPENAPI_SCHEMAS = {
  'create issue': open(
    {
      title: { oneOf: [string, count] },
      body: string,
      milestone: { oneOf: [string, count, { type: 'null' }] },
      labels: { type: 'array', items: label },
      assignees: strings,
    },
    ['title'],
  ),
  'set labels': open({
    labels: {
      anyOf: [
        { type: 'array', minItems: 1, items: string },
        { type: 'array', minItems: 1, items: open({ name: string }, ['name']) },
        string,
      ],
    },
  }),
  'create check run': {
    ...open(checkRun, ['name', 'head_sha']),
    oneOf: [
      {
        properties: { ...checkRun, status: { enum: ['completed'] }, conclusion: string },
        required: ['status', 'conclusion'],
        additionalProperties: true,
      },
      { properties: { status: { enum: ['queued', 'in_progress'] } }, additionalProperties: true },
    ],
  },
  'update gist': {
    anyOf: [{ required: ['description'] }, { required: ['files'] }],
    ...open({
      description: string,
      files: {
        type: 'object',
        additionalProperties: {
          anyOf: [open({ content: string, filename: nullableText }), { type: 'null' }],
        },
      },
    }),
  },
  'create ruleset': open(
    {
      name: string,
      enforcement: { enum: ['disabled', 'active', 'evaluate'] },
      bypass_actors: {
        type: 'array',
        items: open({ actor_id: { type: ['integer', 'null'] }, actor_type: string }, [
          'actor_type',
        ]),
      },
      conditions: {
        anyOf: [
          open({ ref_name: open({ include: strings, exclude: strings }) }),
          open({ repository_name: open({ include: strings, protected: boolean }) }),
          open({ repository_id: open({ repository_ids: { type: 'array', items: count } }) }),
        ],
      },
      rules: {
        type: 'array',
        items: {
          oneOf: [
            ...['creation', 'deletion', 'non_fast_forward', 'required_signatures'].map(bare),
            ...['commit_message_pattern', 'branch_name_pattern', 'tag_name_pattern'].map(pattern),
            open(
              {
                type: { enum: ['required_status_checks'] },
                parameters: open({
                  required_status_checks: {
                    type: 'array',
                    items: open({ context: string, integration_id: count }, ['context']),
                  },
                }),
              },
              ['type'],
            ),
          ],
        },
      },
    },
    ['name', 'enforcement'],
  ),
  'protect branch': open({
    required_status_checks: {
      anyOf: [{ type: 'null' }, open({ strict: boolean, contexts: strings }, ['strict'])],
    },
    restrictions: access,
    required_pull_request_reviews: {
      anyOf: [{ type: 'null' }, open({ dismissal_restrictions: access, count })],
    },
  }),
  'dispatch workflow': open(
    { ref: string, inputs: { type: 'object', additionalProperties: true, maxProperties: 10 } },
    ['ref'],
  ),
  'create tree': open(
    {
      tree: {
        type: 'array',
        items: open({
          path: string,
          mode: { enum: ['100644', '100755', '040000', '160000', '120000'] },
          sha: { anyOf: [string, { type: 'null' }] },
          content: string,
        }),
      },
    },
    ['tree'],
  ),
  'review pull request': open({
    event: { enum: ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] },
    comments: {
      type: 'array',
      items: open({ path: string, position: count, body: string, line: count }, ['path', 'body']),
    },
  }),
  'create deployment': open(
    { ref: string, payload: { oneOf: [{ type: 'object', additionalProperties: true }, string] } },
    ['ref'],
  ),
};
