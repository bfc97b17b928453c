import { useEffect, useRef } from 'react';
import { FEEDBACK_PROMPT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { matchesPath, paths } from '../../lib/paths/paths.ts';
import { isUnderWay, sendings } from '../../uploads/sendings.ts';
import { isFeedbackDismissed, wasFeedbackAsked } from './feedback-asked.ts';

/** The start of the app, by the clock of the page: the app's own file imports this one. */
export const appStartedAtMs = performance.now();

/** The interval for checking whether the moment is good. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Calls `ask` once a browser session (`ask` remembers it), 60000 ms after the app started. It waits while another
 * dialog is open, a field has the focus, files are dragged, chosen or sent, right after a press, and on each page where
 * something is done or awaited. A signed-in person (`hasAccount`) has nothing to rate until something of theirs is live,
 * and looks at that for its first minute.
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
      if (isOver) return;
      if (hasNothing || hadNothing) timer = setTimeout(look, FEEDBACK_PROMPT_DELAY_MS);
      // The answer took a while.
      else if (isGoodMoment()) latest.current.ask();
      else timer = setTimeout(look, LOOK_AGAIN_MS);
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
  const isBusy = isSomethingOpen(document) || isTyping(document) || sendings.get().some(isUnderWay);
  // What was just pressed may still be on its way onto the screen.
  return !isBusy && !navigator.userActivation?.isActive && isCalm(location.pathname);
}

export function isSomethingOpen(page: Document): boolean {
  return (
    page.querySelector(
      '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [data-chosen], [data-over]',
    ) !== null
  );
}

export function isTyping(page: Document): boolean {
  const focused = page.activeElement;
  return (
    focused instanceof HTMLElement &&
    (focused.isContentEditable || focused.closest('input, textarea, select, form') !== null)
  );
}

/** Returns whether the page is only looked at: the dashboard, a list, or one that introduces or explains the product. */
export function isCalm(pathname: string): boolean {
  return CALM.some((pattern) => matchesPath(pattern, pathname));
}

const { home, faq, help, dashboard, deployments, deploymentHistory, domains, certificates } = paths;
const CALM = [home, faq, help, dashboard, deployments, deploymentHistory, domains, certificates];
