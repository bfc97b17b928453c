import type { ReactNode } from 'react';
import { lazyDialog } from '../components/overlays/lazy-dialog.tsx';
import { ConnectInPlaceContext, type ConnectInPlaceProps } from '../lib/connect-in-place.ts';

/** Needed only while an account is missing. */
const ConnectDialog = lazyDialog<ConnectInPlaceProps>(
  async () => (await import('../features/connections/connect-dialog.tsx')).ConnectDialog,
);

/** Lets the forms below connect a missing account over them, without leaving. */
export function ConnectInPlace({ children }: { children: ReactNode }) {
  return <ConnectInPlaceContext value={ConnectDialog}>{children}</ConnectInPlaceContext>;
}
