import { isAuthScreen, paths } from '../../lib/paths.ts';

/** What the rules look at; `user` is `null` for a visitor and `undefined` while nobody knows yet. */
export type DisclaimerSituation = {
  pathname: string;
  isSeen: boolean;
  user: { disclaimerAccepted: boolean } | null | undefined;
};

/** Routes that anybody may read before the disclaimer is accepted. */
const exemptPaths: readonly string[] = [
  paths.disclaimer,
  paths.betaWelcome,
  paths.login,
  paths.register,
  paths.about,
  paths.websocketDemo,
];

export function isDisclaimerExempt(pathname: string): boolean {
  const path = pathname.length > 1 ? pathname.replace(/(?<!\/)\/+$/, '') : pathname;
  return (
    exemptPaths.includes(path) || isAuthScreen(path) || path.startsWith('/auth') || path.startsWith('/subscription/')
  );
}

/** Whether the gate leads to /disclaimer from here. */
export function mustAcceptFirst({ pathname, isSeen, user }: DisclaimerSituation): boolean {
  if (isDisclaimerExempt(pathname)) return false;
  return !isSeen || user?.disclaimerAccepted === false;
}

/**
 * Whether /disclaimer has nothing left to ask and leads on to /beta-welcome: seen here, and by this account too.
 * Without the second half a person who accepted before registering would run in a circle.
 */
export function hasNothingToAccept({ isSeen, user }: Omit<DisclaimerSituation, 'pathname'>): boolean {
  return isSeen && user !== undefined && (user === null || user.disclaimerAccepted);
}
