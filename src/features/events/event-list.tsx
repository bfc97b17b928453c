import type { StreamItem } from '../../../routers/schemas/events.ts';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { formatClock } from '../../lib/format.ts';
import type { SeenItem } from '../../realtime/channel.ts';

/** Lists the items received on this page, newest first. */
export function EventList({ items }: { items: readonly SeenItem[] }) {
  if (items.length === 0) return <EmptyState>Events appear here as they happen.</EmptyState>;
  return (
    <ol className="divide-y divide-line">
      {items.map(({ key, id, at, item }) => (
        <li key={key} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-3 sm:px-5">
          <time dateTime={at.toISOString()} className="text-xs text-ink-muted tabular-nums">
            {formatClock(at)}
          </time>
          <code className="font-mono text-xs">
            {item.type}
            <span className="text-ink-faint"> #{id}</span>
          </code>
          <span className="min-w-0 basis-full text-sm text-ink-muted wrap-anywhere sm:basis-auto">{said(item)}</span>
        </li>
      ))}
    </ol>
  );
}

function said(item: StreamItem): string {
  switch (item.type) {
    case 'deployment_status':
    case 'notification':
      return item.message;
    case 'ssl_status':
      return `${item.domain}: ${item.sslStatus}`;
    case 'release_progress':
      return `${item.step}: ${item.done} of ${item.total}`;
    case 'subscription_update':
      return 'Your plan has changed.';
    case 'analytics_update':
      return 'A deployment or a release has changed.';
    case 'visits_counted':
      return 'Visits to your sites were counted.';
    case 'ready':
      return 'The channel is open. New events appear here.';
    case 'resync':
      return 'Missed too many events; reloading.';
  }
}
