import { isAuthScreen, paths } from '../../lib/paths/paths.ts';

/** The input of the rules; `user` is `null` for a visitor and `undefined` while that is not known. */
export type DisclaimerSituation = {
  pathname: string;
  isSeen: boolean;
  user: { disclaimerAccepted: boolean } | null | undefined;
};

/** Routes that anybody may read before accepting the disclaimer. */
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

/** Returns whether the gate leads to /disclaimer from here. */
export function mustAcceptFirst({ pathname, isSeen, user }: DisclaimerSituation): boolean {
  if (isDisclaimerExempt(pathname)) return false;
  return !isSeen || user?.disclaimerAccepted === false;
}

/**
 * Returns whether /disclaimer has nothing left to ask and leads on to /beta-welcome: it was seen here, and accepted by
 * this account too. Without the second half a person who accepted before registering would go in a circle.
 */
export function hasNothingToAccept({ isSeen, user }: Omit<DisclaimerSituation, 'pathname'>): boolean {
  return isSeen && user !== undefined && (user === null || user.disclaimerAccepted);
}
