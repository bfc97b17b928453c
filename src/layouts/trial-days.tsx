import { Beside } from '../components/page/error-boundary.tsx';
import { lazyComponent } from '../lib/lazy-component.tsx';

/** It fetches the subscription, with a client that the shell itself does without. */
const daysLeft = lazyComponent<{ className: string }>(
  async () => (await import('../features/subscription/days-left.tsx')).DaysLeft,
);

/** Shows the days left of the trial; nothing while they are not known, and for any other plan. */
export function TrialDays({ className }: { className: string }) {
  return (
    <Beside>
      <daysLeft.Component className={className} />
    </Beside>
  );
}
