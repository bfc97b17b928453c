/** Makes calls like a person who leaves after a while, and collects the faults that they were shown. */
export function createPersonCalls(patienceMs: number) {
  const faults: string[] = [];
  return {
    faults,
    async ask<T>(calling: (options: { signal: AbortSignal }) => Promise<T>): Promise<T | null> {
      return calling({ signal: AbortSignal.timeout(patienceMs) }).catch((error: unknown) => {
        if (isFault(error)) faults.push(String(error));
        return null;
      });
    },
  };
}

function isFault(error: unknown): boolean {
  return error instanceof Error && 'data' in error && JSON.stringify(error.data ?? {}).includes('"internal"');
}

/** A plan that the lies held up is still written, and keeps its domain meanwhile. */
export function unlessWritten(error: unknown): void {
  if (!(error instanceof Error) || !error.message.endsWith('are being written.')) throw error;
}
