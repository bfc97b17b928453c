/**
 * Runs the handler of something that arrived from outside. Anything that it throws or rejects with goes to the first
 * of `onErrors`, which answers or closes, and an error of that one goes to the next: nothing that arrives may end the
 * process.
 */
export function catchErrors(handle: () => unknown, ...onErrors: readonly ((error: unknown) => void)[]): void {
  const [onError, ...others] = onErrors;
  const answer = (error: unknown): void => {
    if (onError !== undefined) catchErrors(() => onError(error), ...others);
  };
  try {
    const result = handle();
    if (result instanceof Promise) result.catch(answer);
  } catch (error) {
    answer(error);
  }
}
