import { afterEach, expect, test, vi } from 'vitest';
import { errorMessage, errorToast, wasAnswered } from '../../src/api/errors.ts';
import { trpcClient } from '../../src/api/trpc.ts';
import { isUnanswered } from '../../src/uploads/request.ts';
import { refusal } from '../support/screen.tsx';

afterEach(() => vi.restoreAllMocks());

/** A network that swallows what it is given: only the caller's own signal ends a call. */
function swallow(_input: unknown, init: RequestInit = {}): Promise<Response> {
  const { signal } = init;
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

test('a toast says what happened and what to do, each of them once', () => {
  const limit = 'The Free plan allows no deployments. Start the trial.';
  expect(
    errorToast('Could not publish', refusal('deployment_limit_reached', limit, { hint: 'Start the trial.' })),
  ).toEqual({
    title: 'Could not publish',
    description: limit,
    variant: 'destructive',
  });
  const ended = refusal('plan_required', 'Your plan has ended.', { hint: 'Choose a plan.' });
  expect(errorToast('Could not save', ended).description).toBe('Your plan has ended. Choose a plan.');
});

test.each([
  ['a question', () => trpcClient.subscription.get.query()],
  ['a change', () => trpcClient.deployments.remove.mutate({ deploymentId: '0123456789abcdefghij' })],
])('%s that is never answered ends by itself, and says that nobody was reached', async (_kind, ask) => {
  const waits: { ms: number; end: () => void }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const stop = new AbortController();
    waits.push({ ms, end: () => stop.abort(new DOMException('The time is up.', 'TimeoutError')) });
    return stop.signal;
  });
  const sent = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const isRefresh = String(input).includes('refresh');
    return isRefresh ? new Response('{}', { status: 401 }) : swallow(input, init);
  });
  const failure = ask().then(
    () => expect.fail('it was answered'),
    (cause: unknown) => cause,
  );
  await vi.waitFor(() => expect(String(sent.mock.lastCall?.[0])).toContain('/api/trpc/'));
  expect(waits.at(-1)?.ms).toBe(30_000);
  waits.at(-1)?.end();
  const error = await failure;
  expect(errorMessage(error)).toBe('Fairlead cannot be reached. Check your connection and try again.');
  expect([wasAnswered(error), isUnanswered(error)]).toEqual([false, true]);
});
