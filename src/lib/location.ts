import { useLocation as useWouterLocation } from 'wouter';
import { useHistoryState, useLocationProperty } from 'wouter/use-browser-location';

/** The parts of the page's address; `search` and `hash` begin with their sign, and are empty where there are none. */
export type Address = { pathname: string; search: string; hash: string };

export type Navigate = (to: string, options?: { replace?: boolean; state?: unknown }) => void;

export function useAddress(): Address {
  const [pathname] = useWouterLocation();
  // As it is written: the hook of the library decodes it.
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

/** Leads to an address of the app. The function is the same from render to render. */
export function useNavigate(): Navigate {
  const [, navigate] = useWouterLocation();
  return navigate;
}

/** The state that the last navigation left in the history; a new object each time, also when it led to the same address. */
export const useVisit: () => unknown = useHistoryState;

type LeaveQuestion = (leave: () => void) => void;
let leaveQuestion: LeaveQuestion | null = null;

/** Has a question asked, in the place of a navigation, before the app leads to another screen. Returns what ends that. */
export function askBeforeLeaving(ask: LeaveQuestion): () => void {
  leaveQuestion = ask;
  return () => {
    if (leaveQuestion === ask) leaveQuestion = null;
  };
}

/**
 * Stands around each navigation: one to the address that is open adds no entry to the history, as with a plain link, and
 * each leaves a state, so that `useVisit` tells of it.
 */
export function aroundNavigation(navigate: Navigate, to: string, options: Parameters<Navigate>[1] = {}): void {
  const target = new URL(to, location.href);
  const isHere = target.href === location.href;
  const go = () => navigate(to, { replace: options.replace ?? isHere, state: options.state ?? {} });
  if (leaveQuestion === null || target.pathname === location.pathname) go();
  else leaveQuestion(go);
}
