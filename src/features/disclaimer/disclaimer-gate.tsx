import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useUser } from '../../api/user.ts';
import { paths } from '../../lib/paths.ts';
import { mustAcceptFirst } from './disclaimer-rules.ts';
import { readDisclaimerSeen } from './disclaimer-seen.ts';

/** Leads to /disclaimer whoever has not accepted, except on the exempt routes (specification, section 4). */
export function DisclaimerGate({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const { user, isLoading } = useUser();
  const isGated = mustAcceptFirst({ pathname, isSeen: readDisclaimerSeen(), user: isLoading ? undefined : user });
  return isGated ? <Navigate to={paths.disclaimer} replace /> : children;
}
