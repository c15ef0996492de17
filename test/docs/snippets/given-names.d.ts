// What the code of the documentation uses without declaring or importing it. It stands for what the
// reader has: their tools, their users, their server. What this package has is imported in each block.

// Made as other blocks of the page, or of the page that it links to, show.
declare const audit: import('sandboxed-ptc').AuditLog;
declare const code: import('sandboxed-ptc').CodeTool;
declare const executor: import('sandboxed-ptc').SandboxExecutor;
declare const model: import('sandboxed-ptc').LanguageModel;
declare const orchestrator: import('sandboxed-ptc').ProgrammaticToolOrchestrator;
declare const provider: () => import('sandboxed-ptc').SandboxProvider;
declare const queue: import('sandboxed-ptc').ApprovalQueue;
declare const rules: readonly import('sandboxed-ptc').PolicyRule[];
declare const runningOrchestrators: ReadonlySet<typeof orchestrator>;
declare const searchWeb: import('sandboxed-ptc').Tool<unknown>;
declare const session: import('sandboxed-ptc').Session;
declare const suite: ReturnType<typeof import('sandboxed-ptc/testing').contractSuite>;
declare const tools: import('sandboxed-ptc').ToolRegistry;

// What a user sends.
declare const program: string;
declare const question: string;
declare const report: Buffer;
declare const minutes: string;
declare const chart: Buffer;
declare const signal: AbortSignal;

declare const approvalId: string;
// A tool call in the model's answer.
declare const call: { readonly input: unknown };

// The application.
declare const conversationId: string;
declare const conversation: { readonly id: string; readonly tools: typeof tools };
declare const database: Database;
declare const user: User;
declare const server: import('node:http').Server;
declare const request: import('node:http').IncomingMessage;
declare const response: import('node:http').ServerResponse;
declare const logger: { info(facts: unknown): void };
declare const weather: { now(city: string): Promise<object> };
declare const bank: { pay(invoice: unknown): Promise<object> };
declare const finance: {
  budget(
    department: string,
    quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4',
    options: { readonly signal: AbortSignal },
  ): Promise<{ limit: number; spent: number }>;
};
declare const renderer: {
  render(input: unknown, options: { readonly signal: AbortSignal }): Promise<string>;
};
declare const github: { createIssue(issue: { repo: string; title: string }): Promise<void> };
declare const salesSchema: {
  readonly type: 'object';
  readonly properties: { readonly region: { readonly type: 'string' } };
};
declare const orders: ReadonlyMap<number, object>;
declare const cart: unknown[];
declare function confirm(
  toolName: string,
  input: unknown,
  options: { readonly signal: AbortSignal },
): Promise<boolean>;
declare function dollars(model: string, inputTokens: number, outputTokens: number): number;
declare function importMonth(month: number, signal: AbortSignal): Promise<void>;
declare function load(): Promise<string>;
declare function notifyThePage(id: string, toolName?: string): void;
declare function onEvent(event: import('sandboxed-ptc').RunEvent): void;
declare function save(text: string): Promise<void>;
declare function showForm(
  question: string,
  schema: object,
  options: { readonly signal: AbortSignal },
): Promise<Record<string, string> | undefined>;
declare function tryLater(afterMs: unknown): Promise<void>;

interface User {
  readonly id: string;
}
type SqliteDatabase = import('sandboxed-ptc').SqliteDatabase;
interface Database extends SqliteDatabase {
  ordersOf(user: User): Promise<object[]>;
  sales(region: unknown): Promise<object[]>;
  stock(item: unknown): Promise<number>;
  sales(year: number, page: { readonly offset: number; readonly limit: number }): Promise<object[]>;
}

// Functions of a program in TypeScript.
declare function get_team_members(input: {
  department: string;
}): Promise<{ id: string; name: string }[]>;
declare function get_expenses(input: { employee_id: string }): Promise<{ amount: number }[]>;
declare function notify(input: { people: string[] }): Promise<void>;
declare class ToolError extends Error {
  readonly type: string;
}

// What the AI SDK and LangChain have, which are not installed here.
declare const chat: { readonly id: string };
declare const getDemand: import('sandboxed-ptc/ai-sdk').AiSdkTool;
declare const getInventory: import('sandboxed-ptc/ai-sdk').AiSdkTool;
declare const getOrder: {
  readonly name: string;
  readonly description: string;
  readonly schema: typeof salesSchema;
  invoke(input: unknown, options: { readonly signal: AbortSignal }): Promise<unknown>;
};
declare const prompt: string;
declare function registryOf(toolSet: Readonly<Record<string, object>>): typeof tools;
declare module '@langchain/core/tools';
declare module 'ai';
declare module 'deepagents';
