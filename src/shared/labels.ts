/**
 * Names and values of yours on a session or a program, for policies, tools and the audit log.
 * Sandboxes never see them.
 */
export type Labels = Readonly<Record<string, string>>;
