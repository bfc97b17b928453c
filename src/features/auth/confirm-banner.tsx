import type { User } from '../../../routers/schemas/user.ts';
import { Notice } from '../../components/notice.tsx';
import { SendConfirmation } from './send-confirmation.tsx';

/** Until the address is confirmed nothing but confirmation, reset and security warnings goes to it (product page, section 11). */
export function ConfirmBanner({ user }: { user: User }) {
  return (
    <Notice
      tone="accent"
      title="Confirm your e-mail address"
      action={<SendConfirmation email={user.email} size="sm" />}
      className="mb-6"
    >
      Open the link that was mailed to <span className="wrap-anywhere">{user.email}</span>.
    </Notice>
  );
}
