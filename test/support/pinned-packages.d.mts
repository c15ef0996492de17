interface PinnedPackages {
  /** What the packages are, in words. */
  readonly what: string;
  /** Where their `node_modules` are. */
  readonly directory: string;
  /** Installs them there, unless an earlier call did. */
  readonly install: () => void;
}

/** By the projects of vitest that need them. */
export const PINNED_PACKAGES: Readonly<
  Record<
    | 'system-ai-sdk-7'
    | 'system-mcp-conformance'
    | 'system-mcp-clients'
    | 'system-frameworks'
    | 'package'
    | 'cluster',
    PinnedPackages
  >
>;
