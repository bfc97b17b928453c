import { type APIRequestContext, type BrowserContext, expect, type Page } from '@playwright/test';
import { type Credentials, newCredentials } from '../browser/fixtures.ts';

/**
 * Accounts made through the documented API, without a form. The cookies of the session stay with the request context
 * they were made in; with `context.request` that is the browser's own, so that its pages are signed in.
 */
export type Person = Credentials & { accessToken: string };

export type Standing = {
  /** Has accepted the disclaimer, as far as the server knows. */
  accepted: boolean;
  /** Has an active subscription: the trial, the one that needs no card. */
  subscribed: boolean;
};

/** Returns the headers that every signed-in call carries. */
export function signedIn({ accessToken }: Pick<Person, 'accessToken'>): Record<string, string> {
  return {
    authorization: `Bearer ${accessToken}`,
    'x-auth-token': accessToken,
    'x-requested-with': 'XMLHttpRequest',
  };
}

export async function enrol(
  request: APIRequestContext,
  { accepted, subscribed }: Standing = { accepted: true, subscribed: false },
): Promise<Person> {
  const credentials = newCredentials();
  const answer = await request.post('/api/register', { data: credentials });
  expect(answer.status(), await answer.text()).toBeLessThan(300);
  const { accessToken }: { accessToken: string } = await answer.json();
  const person = { ...credentials, accessToken };
  if (accepted) await acceptDisclaimer(request, person);
  if (subscribed) await subscribe(request, person);
  return person;
}

export async function acceptDisclaimer(request: APIRequestContext, person: Person): Promise<void> {
  const answer = await request.post('/api/accept-disclaimer', { headers: signedIn(person) });
  expect(answer.ok(), await answer.text()).toBe(true);
}

export async function subscribe(request: APIRequestContext, person: Person): Promise<void> {
  const answer = await call(request, person, 'subscription.startTrial');
  expect(answer.status, JSON.stringify(answer)).toBe(200);
}

/** The answer of a tRPC call; `data` is that of the error where it failed. */
export type Answer = {
  status: number;
  data: Record<string, unknown>;
  message: string;
};

/** Calls a mutation by its name, as a script would. */
export async function call(
  request: APIRequestContext,
  person: Pick<Person, 'accessToken'> | undefined,
  procedure: string,
  input?: unknown,
): Promise<Answer> {
  const answer = await request.post(`/api/trpc/${procedure}`, {
    headers: person === undefined ? {} : signedIn(person),
    data: { json: input },
  });
  return readAnswer(answer.status(), await answer.json());
}

type Envelope = {
  result?: { data: { json: Record<string, unknown> } };
  error?: { json: { message: string; data: Record<string, unknown> } };
};

function readAnswer(status: number, { result, error }: Envelope): Answer {
  return {
    status,
    data: result?.data.json ?? error?.json.data ?? {},
    message: error?.json.message ?? '',
  };
}

/**
 * Marks this browser as one that has seen the disclaimer, whatever the server knows: the cookie is valid for a year.
 */
export async function seenBefore(context: BrowserContext, url: string): Promise<void> {
  const expires = Math.round(Date.now() / 1000) + 365 * 24 * 3600;
  await context.addCookies([{ name: 'disclaimerSeen', value: 'true', url, expires }]);
}

/**
 * Somebody who may publish, made by calls alone in the page's own cookie jar: the next page that is opened is signed in
 * by the cookie of their session, as after a visit before.
 */
export async function personOf(page: Page, url: string, { withTrial = true } = {}): Promise<Person> {
  await seenBefore(page.context(), url);
  return enrol(page.request, { accepted: true, subscribed: withTrial });
}
