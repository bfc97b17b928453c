/**
 * Structured log: JSON lines when the output is not a terminal, readable lines on one. Fields are an allow-list of
 * plain values; whatever looks like a secret is struck out before it is written (security facts, section 10.3).
 */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields & { error?: string | undefined }): void;
};
