/**
 * Runs what handles something that arrived from outside. Whatever it throws or rejects with goes to `onError`, which answers
 * or closes: nothing that arrives may end the process.
 */
export function catchErrors(handle: () => unknown, onError: (error: unknown) => void): void {
  try {
    const result = handle();
    if (result instanceof Promise) result.catch(onError);
  } catch (error) {
    onError(error);
  }
}
