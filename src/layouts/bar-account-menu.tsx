import type { User } from '../../routers/schemas/user.ts';
import { AccountMenu } from './account-menu.tsx';
import { TrialDays } from './trial-days.tsx';

/** The menu in the bar of the public pages, beside the days left of the trial where there is room for them. */
export function BarAccountMenu({ user }: { user: User }) {
  return (
    <>
      <TrialDays className="shrink-0 text-xs text-ink-muted max-sm:hidden" />
      <AccountMenu user={user} look="icon" />
    </>
  );
}
