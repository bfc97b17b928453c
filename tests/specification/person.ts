import type { Page } from '@playwright/test';
import { type Credentials, expect, newCredentials } from '../browser/fixtures.ts';

/** Somebody of the product, made over HTTP in the page's own cookie jar. */
export type Person = Credentials & { accessToken: string };

/**
 * Registers, accepts the disclaimer and, unless told otherwise, starts the trial, all by calls alone: the next page that
 * is opened is signed in by the cookie of its session, as after a visit before.
 */
export async function personOf(page: Page, url: string, { withTrial = true } = {}): Promise<Person> {
  const credentials = newCredentials();
  const { accessToken } = await registerByCall(page, url, credentials);
  const headers = { origin: url, authorization: `Bearer ${accessToken}` };
  const accepted = await page.request.post(`${url}/api/accept-disclaimer`, { headers });
  expect(accepted.ok(), await accepted.text()).toBe(true);
  if (withTrial) {
    const trial = await page.request.post(`${url}/api/trpc/subscription.startTrial`, { headers, data: {} });
    expect(trial.ok(), await trial.text()).toBe(true);
  }
  await seenDisclaimer(page, url);
  return { ...credentials, accessToken };
}

/** The mark of a disclaimer that was accepted in this browser. */
export async function seenDisclaimer(page: Page, url: string): Promise<void> {
  await page.context().addCookies([{ name: 'disclaimerSeen', value: 'true', url }]);
}

async function registerByCall(page: Page, url: string, credentials: Credentials): Promise<{ accessToken: string }> {
  const answer = await page.request.post(`${url}/api/register`, { headers: { origin: url }, data: credentials });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
}
