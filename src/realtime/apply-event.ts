import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import type { AppRouter } from '../../routers/_app.ts';
import type { LogLine, ReleaseProgressEvent, StoredEvent, StreamItem } from '../../routers/schemas/events.ts';
import type { ReleaseDetail, ReleaseStep } from '../../routers/schemas/releases.ts';
import { RUNNING_RELEASE_STATES } from '../../routers/schemas/state-names.ts';
import { getCache } from '../api/get-cache.ts';
import { showToast, type ToastOptions } from '../components/overlays/toast-store.ts';
import { paths } from '../lib/paths/paths.ts';

type Routers = AppRouter['_def']['record'];
/** A procedure as the keys of its queries name it. */
type Procedure = { [Router in keyof Routers]: [Router, keyof Routers[Router]] }[keyof Routers];

/** The queries to fetch again after each event, by router: exactly those that it can have changed. */
const REFRESHES: Record<StoredEvent['type'], readonly (keyof Routers)[]> = {
  deployment_status: ['deployments', 'releases', 'analytics'],
  ssl_status: ['certificates', 'domains', 'deployments'],
  notification: ['deployments', 'releases', 'domains', 'certificates', 'licenses', 'analytics'],
  subscription_update: ['subscription', 'payments', 'licenses', 'user'],
  analytics_update: [
    'deployments',
    'releases',
    'domains',
    'certificates',
    'connections',
    'subscription',
    'user',
    'analytics',
    'diagnostics',
  ],
};
/** The routers whose answers show what is running. */
const RUNNING_SHOWN_BY: readonly (keyof Routers)[] = ['deployments', 'releases'];
const RELEASE = { queryKey: [['releases', 'get'] satisfies Procedure] };
/** The lines of a step's log that the page keeps while they arrive; after a reload the server's last 200 are there. */
const LOG_LINES_KEPT = 10_000;

/** The last read that progress has begun: it is not repeated, or a release that moves on fast is read without end. */
const repeats = new WeakMap<Query, Query['promise']>();

/** The targets of an event: the query cache, and the user, which is outside it. */
export type EventTargets = { queryClient: QueryClient; refreshUser: () => void };

/** Shows an item of the stream, and fetches the data that it changed. */
export function applyEvent({ queryClient, refreshUser }: EventTargets, item: StreamItem): void {
  if (item.type === 'ready') {
    refreshRunning(queryClient);
    return;
  }
  if (item.type === 'visits_counted') {
    readAgain(queryClient, { queryKey: [['analytics', 'visits'] satisfies Procedure] });
    return;
  }
  if (item.type === 'release_progress') {
    writeProgress(queryClient, item);
    return;
  }
  getCache.clear();
  if (item.type === 'resync') {
    readAgain(queryClient, {});
    refreshUser();
    return;
  }
  const toast = eventToast(item);
  if (toast !== null && !isSeen(queryClient, item)) showToast(toast);
  for (const router of REFRESHES[item.type]) {
    if (router === 'user') refreshUser();
    else readAgain(queryClient, { queryKey: [[router]] });
  }
}

/** Returns whether the page shows the release that ended: its card says the same. */
function isSeen(queryClient: QueryClient, event: StoredEvent): boolean {
  // The dashboard follows publishing as well, and shows nothing of it when it is over.
  if (event.type !== 'deployment_status' || location.pathname === paths.dashboard) return false;
  const shown = queryClient.getQueryCache().findAll({ ...RELEASE, type: 'active' });
  return shown.some((query) => (query.state.data as ReleaseDetail | undefined)?.id === event.releaseId);
}

/** Returns the toast of an event; two of the five kinds have none. */
function eventToast(event: StoredEvent): ToastOptions | null {
  switch (event.type) {
    case 'deployment_status':
      return event.status === 'success'
        ? { title: 'Deployment Successful', description: event.message }
        : { title: 'Deployment Failed', description: event.message, variant: 'destructive' };
    case 'ssl_status':
      return {
        title: 'SSL Status Updated',
        description: `SSL status for ${event.domain} is ${event.sslStatus}`,
        variant: event.isValid ? 'default' : 'destructive',
      };
    case 'notification':
      return { title: event.title || 'Notification', description: event.message, variant: event.variant ?? 'default' };
    default:
      return null;
  }
}

/**
 * Writes progress into the answers about this release, and into no other: a written answer counts as just fetched,
 * even if an earlier event has made it stale. More may have happened than is written here: if nobody watches, it is
 * fetched again when it is shown; one that is being read, once it has arrived.
 */
function writeProgress(queryClient: QueryClient, event: ReleaseProgressEvent): void {
  for (const query of queryClient.getQueryCache().findAll(RELEASE)) {
    const release = queryClient.getQueryData<ReleaseDetail>(query.queryKey);
    if (release?.id !== event.releaseId) continue;
    const isStale = query.state.isInvalidated || !query.isActive();
    queryClient.setQueryData(query.queryKey, withProgress(release, event));
    if (isStale) query.invalidate();
  }
  const predicate = (query: Query): boolean => isBeingRead(query) && repeats.get(query) !== query.promise;
  readAgain(queryClient, { ...RELEASE, predicate }, showsRunning, (query) => repeats.set(query, query.promise));
}

/** Returns a release with one of its steps moved on. */
function withProgress(release: ReleaseDetail, event: ReleaseProgressEvent): ReleaseDetail {
  if (release.primaryId !== event.destinationId) {
    const furtherSteps = release.furtherSteps.map((one) =>
      one.destinationId === event.destinationId ? { ...one, steps: movedSteps(one.steps, event) } : one,
    );
    return { ...release, furtherSteps };
  }
  const isRunning = event.state === 'running' && release.finishedAt === null;
  return {
    ...release,
    steps: movedSteps(release.steps, event),
    state: isRunning ? event.step : release.state,
  };
}

function movedSteps(steps: readonly ReleaseStep[], event: ReleaseProgressEvent): ReleaseStep[] {
  const moved = steps.findIndex(({ name }) => name === event.step);
  return steps.map((step, index) => {
    if (index === moved) return movedStep(step, event);
    return index < moved ? endedStep(step, event) : step;
  });
}

/** Ends earlier steps: those before a running one are done, though the news may come a moment later. */
function endedStep(step: ReleaseStep, next: ReleaseProgressEvent): ReleaseStep {
  const isOver = next.state === 'running' && step.state === 'running';
  return isOver ? { ...step, state: 'done', endedAt: next.startedAt } : step;
}

/**
 * Fetches everything again that the page shows as running. The stream begins with the next event, and progress is not
 * stored: nothing reports what happened between an answer and the start of the stream, or while the socket was away.
 */
export function refreshRunning(queryClient: QueryClient): void {
  for (const router of RUNNING_SHOWN_BY) readAgain(queryClient, { queryKey: [[router]] }, showsRunning);
}

/**
 * Fetches the queries again whose data is `isStale`. The answer of a fetch that is running may be older than the event:
 * it is judged once it has arrived, and by then whatever is running has begun after the event.
 */
function readAgain(
  queryClient: QueryClient,
  filters: QueryFilters,
  isStale: (data: unknown) => boolean = () => true,
  onRead: (query: Query) => unknown = () => undefined,
): void {
  for (const query of queryClient.getQueryCache().findAll(filters)) {
    const judge = (): void => {
      if (!isStale(query.state.data)) return;
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
      onRead(query);
    };
    if (isBeingRead(query)) void Promise.allSettled([query.promise]).then(judge);
    else judge();
  }
}

function isBeingRead({ state }: Query): boolean {
  return state.fetchStatus === 'fetching';
}

const RUNNING: ReadonlySet<unknown> = new Set([
  ...RUNNING_RELEASE_STATES,
  // This includes deployments, and their platforms.
  ...['deploying', 'deleting', 'publishing', 'removing'],
]);

/** Returns whether an answer contains a running deployment or release, however deep. */
function showsRunning(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return ('state' in data && RUNNING.has(data.state)) || Object.values(data).some(showsRunning);
}

function movedStep(step: ReleaseStep, event: ReleaseProgressEvent): ReleaseStep {
  const { state, startedAt, endedAt, done, total, doneBefore, doneBytes, totalBytes, doneBytesBefore } = event;
  return {
    ...step,
    ...{ state, startedAt, endedAt, done, total, doneBefore, doneBytes, totalBytes, doneBytesBefore },
    log: [...step.log, ...unseen(step.log, event.log)].slice(-LOG_LINES_KEPT),
  };
}

/** Returns the lines that an answer of the server has not already brought. */
function unseen(known: readonly LogLine[], lines: readonly LogLine[]): LogLine[] {
  const seen = new Set(known.slice(-lines.length - 50).map(({ at, text }) => `${at.getTime()} ${text}`));
  return lines.filter(({ at, text }) => !seen.has(`${at.getTime()} ${text}`));
}
