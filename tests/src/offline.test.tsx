import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { queryClient as ofApp } from '../../src/api/query-client.ts';
import { refusal } from '../support/screen.tsx';
import { follow, showApp, shown, textsOf } from '../support/shown-app.tsx';

const OFFLINE = 'You are offline. What is missing loads by itself once you are back online.';

function network(isThere: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isThere);
  flushSync(() => void window.dispatchEvent(new Event(isThere ? 'online' : 'offline')));
}

afterEach(() => {
  network(true);
  vi.restoreAllMocks();
});

test('every screen says that there is no network, with the sidebar and without', async () => {
  await using _app = showApp('/about');
  await shown('h1', 'About Fairlead');
  network(false);
  for (const path of ['/about', '/login', '/help', '/subscription/pricing', '/']) {
    follow(path);
    await vi.waitFor(() => expect(textsOf('main [role="status"]'), path).toContain(OFFLINE));
  }
  network(true);
  expect(textsOf('main [role="status"]')).not.toContain(OFFLINE);
});

test('what the network kept away is asked again when it is back, and nothing else is', async () => {
  const queryClient = new QueryClient({ defaultOptions: ofApp.getDefaultOptions() });
  const asked: string[] = [];
  const ask = (name: string, answer: () => unknown) => {
    const queryFn = async () => {
      asked.push(name);
      return answer();
    };
    return new QueryObserver(queryClient, { queryKey: [name], queryFn }).subscribe(() => undefined);
  };
  const fail = (reason: Error) => () => Promise.reject(reason);
  queryClient.mount();
  const leave = [
    ask('answered', () => 1),
    ask('refused', fail(refusal('forbidden', 'Not here.'))),
    ask('unanswered', fail(new TypeError('Failed to fetch'))),
  ];
  const states = () =>
    queryClient
      .getQueryCache()
      .getAll()
      .map(({ state }) => state.status);
  await vi.waitFor(() => expect(states()).toEqual(['success', 'error', 'error']));
  network(false);
  network(true);
  await vi.waitFor(() => expect(asked).toEqual(['answered', 'refused', 'unanswered', 'unanswered']));
  for (const stop of leave) stop();
  queryClient.unmount();
});
