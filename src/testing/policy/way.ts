import type { AuditLog } from '../../audit/entry.ts';
import type { ExecutionBudgets } from '../../execution/limits/execution-budgets.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { Labels } from '../../shared/labels.ts';
import type { ToolAnnotations } from '../../tools/annotations.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import type { JsonSchemaSource } from '../../tools/schema/schema.ts';
import type { ToolCaller, ToolContext, WhenAsked } from '../../tools/tool.ts';

/** A way to call tools, such as an adapter for an agent framework. */
export interface Way {
  /** What makes the calls, in reports, such as `a program of my agent loop`. */
  readonly name: string;
  /**
   * The language of the programs that call the tools. A way with programs and direct calls has two suites.
   * @default the model calls the tools directly
   */
  readonly language?: LanguageName;
  /** Whether `onEvent` of `OpenWay` is told of each call. @default false */
  readonly hasEvents?: boolean;
  /**
   * What comes of a rule with the action `ask` if the policy has no approver: the code of the `PtcError` that
   * `open` or the call throws, another error as text, or what the model gets.
   * @default /^OPTION_INVALID$/
   */
  readonly withoutApprover?: RegExp;
  /** Opens the way with these parts. It is called by the first test, and again by tests that need another policy or session. */
  readonly open: (parts: WayParts) => Promise<OpenWay>;
}

/** What a way must pass on, so that the suite can see what comes of the calls. */
export interface WayParts {
  /** For the executor, or as tools of another framework. */
  readonly tools: readonly WayTool[];
  /** For the executor, or for what the adapter makes of it, such as `codeTool`. */
  readonly policy: PolicyOptions;
  /** For the executor. It keeps the entries in memory. */
  readonly audit: AuditLog;
  /** For the executor. */
  readonly budgets: Partial<ExecutionBudgets>;
  /** For the session, or for the conversation. */
  readonly labels: Labels;
  /** Registers a function that closes something. The last one is called first, also if `open` fails. */
  readonly onClose: (close: () => Promise<unknown>) => void;
}

/** A tool of the suite, which notes its calls. It can be passed where the package takes a `ToolDefinition`. */
export interface WayTool {
  /** Such as `shop:pay`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchemaSource;
  readonly annotations?: ToolAnnotations;
  readonly allowedCallers: readonly ToolCaller[];
  readonly whenAsked?: WhenAsked;
  /** Takes the arguments, and the context of the call unless the framework has none. */
  readonly run: (input: unknown, context?: Partial<ToolContext>) => unknown;
}

/** A way that is open. With `Way.language`, it needs `run`, otherwise `call`. */
export interface OpenWay {
  /**
   * Runs a program in the language of the way, as if a model had written it. All programs of an open way run
   * in one session.
   * @returns what the model gets.
   */
  readonly run?: (code: string, onEvent: WayListener) => Promise<string>;
  /**
   * Calls a tool by its identifier, such as `shop_pay`, as if a model had called it directly.
   * @returns what the model gets.
   */
  readonly call?: (identifier: string, input: object, onEvent: WayListener) => Promise<string>;
}

/** An event of a program, a code tool or a run. */
export interface WayEvent {
  readonly type: string;
  readonly runId?: string;
}

export type WayListener = (event: WayEvent) => void;
