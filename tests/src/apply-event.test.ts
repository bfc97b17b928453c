import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ReleaseProgressEvent, StreamItem } from '../../routers/schemas/events.ts';
import type { ReleaseDetail } from '../../routers/schemas/releases.ts';
import { RELEASE_STEPS } from '../../routers/schemas/states.ts';
import { getCache } from '../../src/api/get-cache.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { stepResult } from '../../src/features/releases/release-labels.ts';
import { applyEvent, refreshRunning } from '../../src/realtime/apply-event.ts';
import { releaseDetailOf, stepOf } from '../support/screen-fixtures.ts';

const deploymentId = 'd'.repeat(20);
const releaseId = 'a'.repeat(20);
const keys = {
  deployments: [['deployments', 'list'], { type: 'query' }],
  releases: [['releases', 'list'], { type: 'query' }],
  release: [['releases', 'get'], { input: { releaseId }, type: 'query' }],
  subscription: [['subscription', 'get'], { type: 'query' }],
  tokens: [['tokens', 'list'], { type: 'query' }],
  certificates: [['certificates', 'list'], { type: 'query' }],
  licenses: [['licenses', 'list'], { type: 'query' }],
  visits: [['analytics', 'visits'], { type: 'query' }],
  health: [['diagnostics', 'health'], { type: 'query' }],
} as const;

beforeEach(() => {
  clearToasts();
  getCache.clear();
  userRefreshes = 0;
});

const running = releaseDetailOf({
  id: releaseId,
  deploymentId,
  number: 8,
  state: 'preparing',
  finishedAt: null,
  servingNumber: 7,
  steps: RELEASE_STEPS.map((name) => stepOf({ name })),
  furtherSteps: [{ destinationId: 'vercel', steps: RELEASE_STEPS.map((name) => stepOf({ name })) }],
});

/** A cache in which every list is fresh. */
function arrange(): QueryClient {
  const queryClient = new QueryClient();
  for (const key of Object.values(keys)) queryClient.setQueryData(key, key === keys.release ? running : []);
  return queryClient;
}

let userRefreshes = 0;
function refreshUser(): void {
  userRefreshes += 1;
}
const targets = (queryClient: QueryClient) => ({ queryClient, refreshUser });

function refreshed(queryClient: QueryClient): string[] {
  return Object.entries(keys)
    .filter(([, key]) => queryClient.getQueryState(key)?.isInvalidated)
    .map(([name]) => name)
    .concat(userRefreshes > 0 ? ['user'] : []);
}

const progress: ReleaseProgressEvent = {
  type: 'release_progress',
  deploymentId,
  releaseId,
  destinationId: running.primaryId,
  step: 'uploading',
  state: 'running',
  startedAt: new Date(4),
  endedAt: null,
  done: 1,
  total: 2,
  doneBytes: 3,
  totalBytes: 7,
  doneBefore: 1,
  doneBytesBefore: 3,
  log: [{ at: new Date(5), text: 'index.html' }],
};

test.each<[StreamItem, { title: string; description: string; variant: string } | null, string[]]>([
  [
    { type: 'deployment_status', status: 'success', message: 'docs is live.', deploymentId, releaseId },
    { title: 'Deployment Successful', description: 'docs is live.', variant: 'default' },
    ['deployments', 'releases', 'release', 'visits'],
  ],
  [
    { type: 'deployment_status', status: 'failed', message: 'docs did not go live.', deploymentId, releaseId },
    { title: 'Deployment Failed', description: 'docs did not go live.', variant: 'destructive' },
    ['deployments', 'releases', 'release', 'visits'],
  ],
  [
    { type: 'ssl_status', domain: 'docs.example', sslStatus: 'issued', isValid: true },
    { title: 'SSL Status Updated', description: 'SSL status for docs.example is issued', variant: 'default' },
    ['deployments', 'certificates'],
  ],
  [
    { type: 'ssl_status', domain: 'docs.example', sslStatus: 'expired', isValid: false },
    { title: 'SSL Status Updated', description: 'SSL status for docs.example is expired', variant: 'destructive' },
    ['deployments', 'certificates'],
  ],
  [
    { type: 'notification', message: 'Hello' },
    { title: 'Notification', description: 'Hello', variant: 'default' },
    ['deployments', 'releases', 'release', 'certificates', 'licenses', 'visits'],
  ],
  [
    { type: 'notification', title: 'Release 8', message: 'Cancelled', variant: 'destructive' },
    { title: 'Release 8', description: 'Cancelled', variant: 'destructive' },
    ['deployments', 'releases', 'release', 'certificates', 'licenses', 'visits'],
  ],
  [{ type: 'subscription_update' }, null, ['subscription', 'licenses', 'user']],
  [
    { type: 'analytics_update', deploymentId },
    null,
    ['deployments', 'releases', 'release', 'subscription', 'certificates', 'visits', 'health', 'user'],
  ],
  [{ type: 'ready' }, null, ['release']],
  [{ type: 'visits_counted' }, null, ['visits']],
])('%j', (item, toast, names) => {
  const queryClient = arrange();
  applyEvent(targets(queryClient), item);
  const [shown] = toasts.get();
  expect(
    shown === undefined ? null : { title: shown.title, description: shown.description, variant: shown.variant },
  ).toEqual(toast);
  expect(refreshed(queryClient)).toEqual(names);
});

test('a stored event empties the GET cache; progress and ready do not', () => {
  const queryClient = arrange();
  const keep = (): void => getCache.set('key', 1, getCache.generation());
  keep();
  applyEvent(targets(queryClient), { type: 'ready' });
  applyEvent(targets(queryClient), progress);
  expect(getCache.size()).toBe(1);
  applyEvent(targets(queryClient), { type: 'analytics_update' });
  expect(getCache.size()).toBe(0);
});

test('resync fetches everything again', () => {
  const queryClient = arrange();
  applyEvent(targets(queryClient), { type: 'resync' });
  expect(refreshed(queryClient)).toEqual([...Object.keys(keys), 'user']);
});

test('progress moves the step in the cache, and appends its log once', () => {
  const queryClient = arrange();
  applyEvent(targets(queryClient), progress);
  applyEvent(targets(queryClient), {
    ...progress,
    state: 'done',
    endedAt: new Date(7),
    done: 2,
    log: [...progress.log, { at: new Date(6), text: 'app.js' }],
  });
  const shown = queryClient.getQueryData<ReleaseDetail>(keys.release);
  expect(shown?.state).toBe('uploading');
  const uploading = shown?.steps.find(({ name }) => name === 'uploading');
  expect(uploading).toMatchObject({ state: 'done', done: 2, total: 2 });
  expect(uploading && stepResult(uploading)).toBe('1 of 2 files sent, 4 B');
  expect(uploading?.log.map(({ text }) => text)).toEqual(['index.html', 'app.js']);
  expect([uploading?.startedAt, uploading?.endedAt], 'the times are the server’s').toEqual([new Date(4), new Date(7)]);
  expect(toasts.get()).toEqual([]);
});

test('progress at a further platform moves the steps there, and not those of the release', () => {
  const queryClient = arrange();
  applyEvent(targets(queryClient), { ...progress, destinationId: 'vercel' });
  const shown = queryClient.getQueryData<ReleaseDetail>(keys.release);
  expect([shown?.state, shown?.steps]).toEqual([running.state, running.steps]);
  expect(shown?.furtherSteps[0]?.steps[1]).toMatchObject({ name: 'uploading', state: 'running', done: 1 });
});

test('progress of a release that is shown refreshes nothing, and takes no mark of an event before it away', () => {
  const queryClient = arrange();
  const queryFn = vi.fn<() => Promise<ReleaseDetail>>(() => new Promise(() => undefined));
  const staleTime = Number.POSITIVE_INFINITY;
  const stop = new QueryObserver(queryClient, { queryKey: keys.release, queryFn, staleTime }).subscribe(
    () => undefined,
  );
  applyEvent(targets(queryClient), progress);
  expect(refreshed(queryClient)).toEqual([]);
  applyEvent(targets(queryClient), { type: 'notification', message: 'Waiting for you' });
  applyEvent(targets(queryClient), progress);
  expect(refreshed(queryClient)).toContain('release');
  stop();
});

test.each<[string, StreamItem[]]>([
  ['after an event', [{ type: 'notification', message: 'Waiting for you' }, progress]],
  ['after progress alone', [progress]],
  ['after progress of another release', [{ type: 'analytics_update' }, { ...progress, releaseId: 'b'.repeat(20) }]],
])('an answer that was fetched ahead is asked for again when its screen opens, %s', async (_name, items) => {
  const queryClient = arrange();
  for (const item of items) applyEvent(targets(queryClient), item);
  const queryFn = vi.fn<() => Promise<ReleaseDetail>>(async () => ({ ...running, state: 'processing' }));
  const staleTime = Number.POSITIVE_INFINITY;
  const observer = new QueryObserver(queryClient, { queryKey: keys.release, queryFn, staleTime });
  const stop = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().data?.state).toBe('processing'));
  expect(queryFn).toHaveBeenCalledTimes(1);
  stop();
});

test('a step that runs has ended the one before it, though that has not said so yet', () => {
  const queryClient = arrange();
  applyEvent(targets(queryClient), { ...progress, step: 'preparing', startedAt: new Date(2) });
  applyEvent(targets(queryClient), progress);
  const [preparing] = queryClient.getQueryData<ReleaseDetail>(keys.release)?.steps ?? [];
  expect([preparing?.startedAt, preparing?.endedAt]).toEqual([new Date(2), progress.startedAt]);
  const states = (): unknown =>
    queryClient.getQueryData<ReleaseDetail>(keys.release)?.steps.map(({ name, state }) => `${name} ${state}`);
  expect(states()).toEqual(
    expect.arrayContaining(['preparing done', 'uploading running', 'processing waiting', 'verifying waiting']),
  );
  applyEvent(targets(queryClient), { ...progress, state: 'failed' });
  expect(states()).toEqual(expect.arrayContaining(['preparing done', 'uploading failed']));
});

test('progress of another release changes nothing', () => {
  const queryClient = arrange();
  applyEvent(targets(queryClient), { ...progress, releaseId: 'b'.repeat(20) });
  expect(queryClient.getQueryData(keys.release)).toEqual(running);
});

test.each([
  ['running release', { state: 'queued' }, true],
  ['deploying deployment', { pages: [{ items: [{ state: 'live' }, { state: 'deploying' }] }] }, true],
  ['deployment with a running release', { state: 'live', latestRelease: { state: 'verifying' } }, true],
  ['deployment that is being deleted', { pages: [{ items: [{ state: 'deleting' }] }] }, true],
  ['deployment with a platform to come', { state: 'live', destinations: [{ state: 'publishing' }] }, true],
  ['release that is over', { ...running, state: 'failed', finishedAt: new Date(9) }, false],
  ['empty list', { pages: [{ items: [] }] }, false],
])('when the stream starts or comes back, a %s is read again: %j', (_name, data, isReadAgain) => {
  const queryClient = new QueryClient();
  for (const key of [keys.deployments, keys.releases, keys.tokens]) queryClient.setQueryData(key, data);
  refreshRunning(queryClient);
  expect(refreshed(queryClient)).toEqual(isReadAgain ? ['deployments', 'releases'] : []);
});

test.each<[StreamItem, 'first' | 'further']>(
  (['first', 'further'] as const).flatMap((kind) => [
    [{ type: 'ready' }, kind],
    [{ type: 'resync' }, kind],
    [{ type: 'deployment_status', status: 'failed', message: 'docs did not go live.', deploymentId, releaseId }, kind],
    [progress, kind],
  ]),
)('an answer that is under way at %j is asked for once more: the %s', async (item, kind) => {
  const queryClient = kind === 'first' ? new QueryClient() : arrange();
  let answerOld = (_release: ReleaseDetail): void => undefined;
  const old = new Promise<ReleaseDetail>((resolve) => {
    answerOld = resolve;
  });
  const queryFn = vi.fn<() => Promise<ReleaseDetail>>(async () => ({
    ...running,
    state: 'failed',
    finishedAt: new Date(9),
  }));
  queryFn.mockReturnValueOnce(old);
  const staleTime = Number.POSITIVE_INFINITY;
  const observer = new QueryObserver(queryClient, { queryKey: keys.release, queryFn, staleTime });
  const stop = observer.subscribe(() => undefined);
  if (kind === 'further') void queryClient.invalidateQueries({ queryKey: keys.release });
  applyEvent(targets(queryClient), item);
  applyEvent(targets(queryClient), item);
  answerOld({ ...running, state: 'verifying' });
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toMatchObject({ state: 'failed' }));
  expect(queryFn).toHaveBeenCalledTimes(2);
  stop();
});

test('a release whose progress comes faster than it is read is read once more, and not without end', async () => {
  const queryClient = arrange();
  const answers: (() => void)[] = [];
  const queryFn = vi.fn<() => Promise<ReleaseDetail>>(
    () => new Promise((resolve) => answers.push(() => resolve(running))),
  );
  const observer = new QueryObserver(queryClient, { queryKey: keys.release, queryFn, staleTime: Infinity });
  const stop = observer.subscribe(() => undefined);
  const answerDuringProgress = async (): Promise<void> => {
    applyEvent(targets(queryClient), progress);
    answers.at(-1)?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  void queryClient.invalidateQueries({ queryKey: keys.release });
  for (let answer = 0; answer < 4; answer += 1) await answerDuringProgress();
  expect(queryFn).toHaveBeenCalledTimes(2);

  void queryClient.invalidateQueries({ queryKey: keys.release });
  await answerDuringProgress();
  expect(queryFn, 'a read for another reason misses nothing').toHaveBeenCalledTimes(4);
  stop();
});

test.each([
  ['success', 'Deployment Successful'],
  ['failed', 'Deployment Failed'],
] as const)(
  'where the release itself is in sight its card tells of %s, and no toast says it again',
  (status, title) => {
    const queryClient = arrange();
    const ended: StreamItem = { type: 'deployment_status', status, message: 'Harbour', deploymentId, releaseId };
    const stop = new QueryObserver(queryClient, { queryKey: keys.release, staleTime: Infinity }).subscribe(() => {});
    applyEvent(targets(queryClient), ended);
    expect(toasts.get()).toEqual([]);
    stop();
    applyEvent(targets(queryClient), ended);
    expect(toasts.get()).toMatchObject([{ title }]);
  },
);
