import type { Page } from '@playwright/test';
import { enrol, type Person, seenBefore } from './people.ts';

/**
 * Somebody who may publish, made by calls alone in the page's own cookie jar: the next page that is opened is signed in
 * by the cookie of their session, as after a visit before.
 */
export async function personOf(page: Page, url: string, { withTrial = true } = {}): Promise<Person> {
  await seenBefore(page.context(), url);
  return enrol(page.request, { accepted: true, subscribed: withTrial });
}
