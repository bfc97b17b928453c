/** Exit codes: 78 is EX_CONFIG of sysexits.h; 1 means that another start may succeed. */
export const EXIT_CONFIG = 78;
export const EXIT_FAILED = 1;
export type ExitCode = typeof EXIT_CONFIG | typeof EXIT_FAILED;

/**
 * Ends the start. The message is one sentence for the operator that names the thing and the fix; it is printed as it
 * is, without a stack.
 */
export class StartError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}

/** Returns the first line of an error, for use in a sentence. */
export function sentenceOf(error: unknown): string {
  return ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').replace(
    /(?<![.\s])[.\s]+$/,
    '',
  );
}
