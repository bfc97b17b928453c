import { X } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../../routers/schemas/user.ts';
import { LinkPlace } from '../../api/link-place.tsx';
import { SendConfirmation, unconfirmedEmail } from '../../api/send-confirmation.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { useAddress } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import { LOCAL_KEYS, tryStorage } from '../../lib/storage/storage.ts';

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
    <div className="relative mb-6 flex print:hidden items-center gap-3 rounded-card bg-accent-soft py-2 pr-2 pl-4 max-sm:flex-wrap max-sm:gap-1 max-sm:pr-14 max-sm:text-sm">
      {/* On a small screen one line says what to do, and the place of the link is opened above the buttons. */}
      <details className="min-w-0 grow open:max-sm:basis-full" open={innerWidth >= 640}>
        <summary className="font-medium touch:py-3">Confirm your email</summary>
        <p className="text-ink-muted wrap-anywhere max-sm:-mr-10" title={email}>
          <LinkPlace to={email} />
        </p>
      </details>
      <SendConfirmation email={email} size="sm" />
      <IconButton
        label="Confirm later"
        className="absolute top-2 right-2 sm:static"
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
