import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { useUser } from '../../api/user.ts';
import { useAddress } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import { mustAcceptFirst } from './disclaimer-rules.ts';
import { readDisclaimerSeen } from './disclaimer-seen.ts';
import type { WantedPage } from './wanted-page.ts';

export type DisclaimerGateProps = {
  /** The name of the page behind the gate. */
  title: string;
  children: ReactNode;
};

/** Leads everybody to /disclaimer who has not accepted, except on the exempt routes. */
export function DisclaimerGate({ title, children }: DisclaimerGateProps) {
  const { pathname, search, hash } = useAddress();
  const { user, isLoading } = useUser();
  const isGated = mustAcceptFirst({ pathname, isSeen: readDisclaimerSeen(), user: isLoading ? undefined : user });
  if (!isGated) return children;
  const wanted: WantedPage = { to: pathname + search + hash, title };
  return <Redirect to={paths.disclaimer} replace state={wanted} />;
}
