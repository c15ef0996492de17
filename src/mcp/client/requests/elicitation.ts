import type { JsonObject } from '../../../shared/json/json.ts';

/** What a server asks for. All texts are bounded, and have escapes for control characters. */
export type McpElicitation = ElicitedForm | ElicitedVisit;

interface Elicited {
  /** The `name` that was passed to `mcpTools`. */
  readonly server: string;
  /**
   * Why the server asks, in at most 10,000 characters. It can say anything. A request with a longer
   * one is declined unseen.
   */
  readonly message: string;
  /** Fires if nothing waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The server asks for the values of a form. */
export interface ElicitedForm extends Elicited {
  readonly mode: 'form';
  /** The JSON Schema of the values: an object of texts, numbers, booleans and lists of texts. */
  readonly schema: JsonObject;
}

/** The server asks that the user visits a page, such as to log in. The answers there go to that page. */
export interface ElicitedVisit extends Elicited {
  readonly mode: 'url';
  /** An address with http or https. Nothing opens it by itself: show it, and let the user decide. */
  readonly url: string;
}

/** An answer to a server. */
export type McpElicitationAnswer =
  | {
      readonly action: 'accept';
      /** The values of a form. Those that its schema does not name are left out. */
      readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
    }
  /** The user refuses, or closes the question without a decision. */
  | { readonly action: 'decline' | 'cancel' };

/** Answers what a server asks for during a call. If it throws, the request is declined. */
export type McpElicitationHandler = (
  request: McpElicitation,
) => McpElicitationAnswer | Promise<McpElicitationAnswer>;
