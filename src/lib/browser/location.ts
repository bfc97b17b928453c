import { useLocation as useWouterLocation } from 'wouter';
import { useHistoryState, useLocationProperty } from 'wouter/use-browser-location';

/** The parts of the page's address; `search` and `hash` begin with their sign, and are empty when there is none. */
export type Address = { pathname: string; search: string; hash: string };

export type Navigate = (to: string, options?: { replace?: boolean; state?: unknown }) => void;

export function useAddress(): Address {
  const [pathname] = useWouterLocation();
  // This is the raw address: the hook of the library decodes it.
  const search = useLocationProperty(readSearch);
  const hash = useLocationProperty(readHash);
  return { pathname, search, hash };
}

function readSearch(): string {
  return location.search;
}

function readHash(): string {
  return location.hash;
}

/** Returns a function that navigates within the app; it is the same from render to render. */
export function useNavigate(): Navigate {
  const [, navigate] = useWouterLocation();
  return navigate;
}

/**
 * Returns the state that the last navigation left in the history; a new object each time, even for the same address.
 */
export const useVisit: () => unknown = useHistoryState;

type LeaveQuestion = (leave: () => void) => void;
let leaveQuestion: LeaveQuestion | null = null;

/** Asks a question before the app navigates to another screen. Returns a function that ends this. */
export function askBeforeLeaving(ask: LeaveQuestion): () => void {
  leaveQuestion = ask;
  return () => {
    if (leaveQuestion === ask) leaveQuestion = null;
  };
}

/**
 * Wraps each navigation: one to the open address adds no entry to the history, like a plain link, and each leaves a
 * state, so that `useVisit` reports it.
 */
export function aroundNavigation(navigate: Navigate, to: string, options: Parameters<Navigate>[1] = {}): void {
  const target = new URL(to, location.href);
  const isHere = target.href === location.href;
  const go = () => navigate(to, { replace: options.replace ?? isHere, state: options.state ?? {} });
  if (leaveQuestion === null || target.pathname === location.pathname) go();
  else leaveQuestion(go);
}
