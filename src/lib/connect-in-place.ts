import { type ComponentType, createContext, useContext } from 'react';
import type { ConnectionProvider } from '../../routers/schemas/platforms/ids.ts';

export type ConnectInPlaceProps = {
  providers: readonly [ConnectionProvider];
  /** Platforms where signing in replaces a token. */
  signIn: readonly ConnectionProvider[] | undefined;
  onClose: () => void;
};

/** Holds the dialog that connects an account; a screen gives it to its forms, of which none knows it. */
export const ConnectInPlaceContext = createContext<ComponentType<ConnectInPlaceProps> | null>(null);

/** Returns the dialog that connects an account, below a `ConnectInPlace`. */
export function useConnectInPlace(): ComponentType<ConnectInPlaceProps> {
  const dialog = useContext(ConnectInPlaceContext);
  if (dialog === null) throw new Error('There is no ConnectInPlace around this.');
  return dialog;
}
