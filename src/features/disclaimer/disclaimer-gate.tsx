import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useUser } from '../../api/user.ts';
import { paths } from '../../lib/paths.ts';
import { mustAcceptFirst } from './disclaimer-rules.ts';
import { readDisclaimerSeen } from './disclaimer-seen.ts';
import { wantedState } from './wanted-page.ts';

export type DisclaimerGateProps = {
  /** The name of the page behind the gate. */
  title: string;
  children: ReactNode;
};

/** Leads to /disclaimer whoever has not accepted, except on the exempt routes (specification, section 4). */
export function DisclaimerGate({ title, children }: DisclaimerGateProps) {
  const place = useLocation();
  const { pathname } = place;
  const { user, isLoading } = useUser();
  const isGated = mustAcceptFirst({ pathname, isSeen: readDisclaimerSeen(), user: isLoading ? undefined : user });
  return isGated ? <Navigate to={paths.disclaimer} replace state={wantedState(place, title)} /> : children;
}
