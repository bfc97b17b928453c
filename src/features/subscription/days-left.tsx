import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { DataProvider } from '../../api/data-provider.tsx';
import { useSubscription } from '../../api/use-subscription.ts';
import { useNow } from '../../components/now.ts';

/** One line about the trial, if there is one. */
export function DaysLeft({ className }: { className: string }) {
  return (
    <DataProvider>
      <Line className={className} />
    </DataProvider>
  );
}

function Line({ className }: { className: string }) {
  const subscription = useSubscription();
  const text = trialText(subscription.data ?? null, useNow());
  return text !== null && <span className={className}>{text}</span>;
}

const DAY_MS = 86_400_000;
/** The page's clock moves every half minute, so a trial that has just begun ends later than its days after that time. */
const BEHIND_MS = 30_000;

/** Returns null when no trial runs. A day that has begun counts as one. */
export function trialText(subscription: Subscription | null, now: Date): string | null {
  if (subscription?.status !== 'trialing' || subscription.endsAt <= now) return null;
  const days = Math.max(1, Math.ceil((subscription.endsAt.getTime() - now.getTime() - BEHIND_MS) / DAY_MS));
  // Where there is no room for one line, only the first word stands above the rest.
  return days === 1 ? 'Trial: last\xa0day' : `Trial: ${days}\xa0days\xa0left`;
}
