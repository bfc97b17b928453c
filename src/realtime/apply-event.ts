import type { QueryClient } from '@tanstack/react-query';
import type { LogLine, ReleaseProgressEvent, StoredEvent, StreamItem } from '../../routers/schemas/events.ts';
import type { ReleaseDetail, ReleaseStep } from '../../routers/schemas/releases.ts';
import { getCache } from '../api/get-cache.ts';
import { showToast, type ToastOptions } from '../components/toast-store.ts';

/** What an event refreshes, by router: exactly the queries that it can have changed. */
const REFRESHES: Record<StoredEvent['type'], readonly string[]> = {
  deployment_status: ['deployments', 'releases'],
  ssl_status: ['certificates', 'domains'],
  notification: ['deployments', 'releases'],
  subscription_update: ['subscription', 'user'],
  analytics_update: ['deployments', 'releases', 'subscription', 'user', 'analytics'],
};
/** Of a step's log, while its lines come; after a reload those are there that the server keeps, the last 500. */
const LOG_LINES_KEPT = 10_000;

/** What an event works on: the query cache, and the user, who stands beside it. */
export type EventTargets = { queryClient: QueryClient; refreshUser: () => void };

/** Shows and refreshes what an item of the stream says (specification, sections 3 and 8; product page, section 8). */
export function applyEvent({ queryClient, refreshUser }: EventTargets, item: StreamItem): void {
  if (item.type === 'ready') return;
  if (item.type === 'release_progress') {
    queryClient.setQueriesData<ReleaseDetail>({ queryKey: [['releases', 'get']] }, (release) =>
      release?.id === item.releaseId ? withProgress(release, item, new Date()) : release,
    );
    return;
  }
  getCache.clear();
  if (item.type === 'resync') {
    void queryClient.invalidateQueries();
    refreshUser();
    return;
  }
  const toast = eventToast(item);
  if (toast !== null) showToast(toast);
  for (const router of REFRESHES[item.type]) {
    if (router === 'user') refreshUser();
    else void queryClient.invalidateQueries({ queryKey: [[router]] });
  }
}

/** The toast of an event, to the letter of the specification, section 8; two of the five have none. */
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

/** A release with one of its steps moved on; the times are this browser's until the next answer brings the server's. */
function withProgress(release: ReleaseDetail, event: ReleaseProgressEvent, now: Date): ReleaseDetail {
  const moved = release.steps.findIndex(({ name }) => name === event.step);
  const steps = release.steps.map((step, index) => {
    if (index === moved) return movedStep(step, event, now);
    return index < moved ? endedStep(step, event, now) : step;
  });
  const isRunning = event.state === 'running' && release.finishedAt === null;
  return { ...release, steps, state: isRunning ? event.step : release.state };
}

/** Steps follow one another: what stands before one that runs is done, though the word of it may come a moment later. */
function endedStep(step: ReleaseStep, next: ReleaseProgressEvent, now: Date): ReleaseStep {
  const isOver = next.state === 'running' && step.state === 'running';
  return isOver ? { ...step, state: 'done', endedAt: now } : step;
}

/** After a reconnect: progress is not stored, so the steps of what still runs are read once. */
export function refreshRunningReleases(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    queryKey: [['releases', 'get']],
    predicate: ({ state }) => isRelease(state.data) && state.data.finishedAt === null,
  });
}

function movedStep(step: ReleaseStep, event: ReleaseProgressEvent, now: Date): ReleaseStep {
  const hasEnded = event.state === 'done' || event.state === 'failed' || event.state === 'cancelled';
  return {
    ...step,
    state: event.state,
    done: event.done,
    total: event.total,
    startedAt: step.startedAt ?? (event.state === 'waiting' ? null : now),
    endedAt: hasEnded ? (step.endedAt ?? now) : null,
    log: [...step.log, ...unseen(step.log, event.log)].slice(-LOG_LINES_KEPT),
  };
}

/** Lines that an answer of the server has not brought already. */
function unseen(known: readonly LogLine[], lines: readonly LogLine[]): LogLine[] {
  const seen = new Set(known.slice(-lines.length - 50).map(({ at, text }) => `${at.getTime()} ${text}`));
  return lines.filter(({ at, text }) => !seen.has(`${at.getTime()} ${text}`));
}

function isRelease(data: unknown): data is { finishedAt: Date | null } {
  return typeof data === 'object' && data !== null && 'finishedAt' in data;
}
