import { vi } from 'vitest';

/** Holds each time-out of this length until `end`, for servers that never answer: no test waits for a clock. */
export function holdTimeouts(lengthMs: number) {
  const { timeout } = AbortSignal;
  const held: AbortController[] = [];
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== lengthMs) return timeout.call(AbortSignal, ms);
    const controller = new AbortController();
    held.push(controller);
    return controller.signal;
  });
  return {
    end() {
      for (const controller of held.splice(0)) controller.abort(new DOMException('Time is up.', 'TimeoutError'));
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

/** An answer that never comes; ends as the real one does, with the reason of the caller's signal. */
export function never(ends: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(ends.reason);
    if (ends.aborted) end();
    else ends.addEventListener('abort', end);
  });
}
