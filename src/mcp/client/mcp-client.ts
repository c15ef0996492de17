/**
 * The part of the client of `@modelcontextprotocol/client` that is used, from version 2.4.0 on. This
 * is an interface because the private members of its class make the classes of different versions
 * incompatible.
 */
export interface McpClient {
  /** Sends a request, and resolves to its result. */
  request(
    request: { readonly method: 'tools/list'; readonly params?: { readonly cursor?: string } },
    result: McpResultCheck<McpToolPage>,
    options?: McpRequestOptions,
  ): Promise<McpToolPage>;
  request(
    request: { readonly method: 'resources/list'; readonly params?: { readonly cursor?: string } },
    options?: McpRequestOptions,
  ): Promise<{ readonly resources: readonly object[]; readonly nextCursor?: string | undefined }>;
  request(
    request: {
      readonly method: 'resources/templates/list';
      readonly params?: { readonly cursor?: string };
    },
    options?: McpRequestOptions,
  ): Promise<{
    readonly resourceTemplates: readonly object[];
    readonly nextCursor?: string | undefined;
  }>;
  request(
    request: { readonly method: 'resources/read'; readonly params: { readonly uri: string } },
    options?: McpRequestOptions,
  ): Promise<{ readonly contents: readonly object[] }>;
  callTool(
    params: { readonly name: string; readonly arguments?: Record<string, unknown> },
    options?: McpCallOptions,
  ): Promise<unknown>;
}

/** A part of the list of a server's tools. */
export interface McpToolPage {
  readonly tools: readonly ListedTool[];
  /** With which the next part is asked for. */
  readonly nextCursor?: string | undefined;
}

/** What a client checks a result with instead of its own schema: a Standard Schema. */
export interface McpResultCheck<Result> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Result } | undefined;
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Result; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string }[] };
  };
}

/** What is passed to a client with each request. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeout?: number;
  /** Called with each report of the server about this request. */
  readonly onprogress?: (progress: McpProgress) => void;
}

/** How far a server is with a request. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** What is passed to a client with each call of a tool. */
export interface McpCallOptions extends McpRequestOptions {
  /**
   * The definition that the client goes by. It has no output schema, because the client would run the
   * patterns of a server's schema without a time limit.
   */
  readonly toolDefinition?: {
    readonly name: string;
    readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  };
}

/** A tool as a server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly outputSchema?: { readonly [keyword: string]: unknown } | undefined;
  /** As the server says. Only the hints of `ToolAnnotations` that are booleans are used. */
  readonly annotations?: unknown;
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
}
