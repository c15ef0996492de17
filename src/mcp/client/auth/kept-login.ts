/** Tokens of a person, and what renews them. Everything is JSON. */
export interface KeptLogin {
  readonly issuer: string;
  /** How this program is registered with the authorization server. */
  readonly client: { readonly client_id: string; readonly client_secret?: string | undefined };
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly resource?: string | undefined;
  /** The scopes that the login asked for, and those that it got. */
  readonly scope?: string | undefined;
  /** The scopes for which the next login must ask, if the token lacks one. */
  readonly widerScope?: string | undefined;
}

/** Where tokens are kept from one process to the next. */
export interface LoginStore {
  read(): Promise<KeptLogin | undefined>;
  write(login: KeptLogin): Promise<void>;
  /** Does what reads the login and then writes it, while no other process does so. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}
