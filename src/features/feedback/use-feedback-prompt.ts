import { useEffect, useRef } from 'react';
import { FEEDBACK_PROMPT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { isAuthScreen, matchesPath, paths } from '../../lib/paths.ts';
import { isUnderWay, publications } from '../../uploads/publications.ts';
import { isFeedbackDismissed, wasFeedbackAsked } from './feedback-draft.ts';

/** The start of the app, by the clock of the page: the app's own file imports this one. */
export const appStartedAtMs = performance.now();

/** The interval for checking whether the moment is good. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Calls `ask` once a browser session (`ask` remembers it), 60000 ms after the app started. It waits while another
 * dialog is open, a field has the focus, files are chosen or sent, on the pages that lead into the product, and on that
 * of a release, whose outcome is awaited there. A signed-in person (`hasAccount`) has nothing to rate until something of
 * theirs is live, and looks at that for its first minute.
 */
export function useFeedbackPrompt(ask: () => void, hasAccount: boolean): void {
  const latest = useRef({ ask, hasAccount });
  latest.current = { ask, hasAccount };

  useEffect(() => {
    if (isFeedbackDismissed() || wasFeedbackAsked()) return;
    let timer = setTimeout(look, Math.max(0, appStartedAtMs + FEEDBACK_PROMPT_DELAY_MS - performance.now()));
    let isOver = false;
    let hadNothing = false;

    async function look() {
      if (isOver || isFeedbackDismissed() || wasFeedbackAsked()) return;
      if (!isGoodMoment()) {
        timer = setTimeout(look, LOOK_AGAIN_MS);
        return;
      }
      const hasNothing = latest.current.hasAccount && !(await isAnythingLive());
      if (hasNothing || hadNothing) timer = setTimeout(look, FEEDBACK_PROMPT_DELAY_MS);
      else if (!isOver) latest.current.ask();
      hadNothing = hasNothing;
    }

    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
}

/** False where nobody could say so. */
function isAnythingLive(): Promise<boolean> {
  return import('./feedback-dialog.tsx').then(({ hasLiveSite }) => hasLiveSite()).catch(() => false);
}

function isGoodMoment(): boolean {
  const isBusy = isSomethingOpen(document) || isTyping(document) || publications.get().some(isUnderWay);
  return !isBusy && !isWayIn(location.pathname) && !matchesPath(paths.release, location.pathname);
}

export function isSomethingOpen(page: Document): boolean {
  return (
    page.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [data-chosen]') !== null
  );
}

export function isTyping(page: Document): boolean {
  const focused = page.activeElement;
  return focused instanceof HTMLElement && (focused.isContentEditable || focused.matches('input, textarea, select'));
}

/** Returns whether the page is a gate, sign-in or a choice of plan: people there have nothing to rate yet. */
export function isWayIn(pathname: string): boolean {
  if (isAuthScreen(pathname) || pathname.startsWith('/auth/') || pathname.startsWith('/subscription/')) return true;
  const others = [paths.disclaimer, paths.betaWelcome, paths.pricing, paths.testCheckout];
  return others.some((pattern) => matchesPath(pattern, pathname));
}
