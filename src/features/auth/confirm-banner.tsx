import { Info, X } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../../routers/schemas/user.ts';
import { SendConfirmation, unconfirmedEmail } from '../../api/send-confirmation.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { useAddress } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import { LOCAL_KEYS, tryStorage } from '../../lib/storage/storage.ts';
import { LinkPlace } from './link-place.tsx';

/**
 * Asks to confirm the address: until then only confirmations, resets and security warnings are mailed to it. Put away,
 * it is back the next day.
 */
export function ConfirmBanner({ user }: { user: User }) {
  const today = `${user.id} ${new Date().toDateString()}`;
  const [putAway, setPutAway] = useState(() => tryStorage(() => localStorage.getItem(LOCAL_KEYS.confirmPutAway)));
  const { pathname } = useAddress();
  const email = unconfirmedEmail(user);
  // Account has a place of its own for it.
  if (putAway === today || email === null || pathname === paths.account) return null;
  return (
    <div className="relative mb-6 flex print:hidden items-center gap-3 rounded-card bg-accent-soft py-2 pr-2 pl-4 max-sm:flex-col max-sm:items-start max-sm:gap-2 max-sm:py-3 max-sm:pr-4">
      <Info className="mt-0.5 self-start text-accent max-sm:hidden" />
      <div className="min-w-0 grow">
        <p className="font-medium">Confirm your email address</p>
        <p className="text-ink-muted wrap-anywhere max-sm:text-sm" title={email}>
          <LinkPlace to={email} />
        </p>
      </div>
      <SendConfirmation email={email} size="sm" />
      <IconButton
        label="Confirm later"
        className="max-sm:absolute max-sm:top-1 max-sm:right-1"
        onClick={() => {
          tryStorage(() => localStorage.setItem(LOCAL_KEYS.confirmPutAway, today));
          setPutAway(today);
        }}
      >
        <X />
      </IconButton>
    </div>
  );
}
