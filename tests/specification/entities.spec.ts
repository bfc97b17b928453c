import { expect, newCredentials, registerHere, test } from '../browser/fixtures.ts';
import { call, enrol, seenBefore, signedIn } from './accounts.ts';

/** The entities and their fields, as the documented addresses answer them. */
const SECRET = /password|hash|token/i;

/** Returns every name of a field, however deep. */
function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldsOf(inner)]);
}

test('a user has disclaimerAccepted and deploymentCount, and nothing secret', async ({ request }) => {
  const person = await enrol(request, { accepted: false, subscribed: true });
  const read = async (): Promise<Record<string, unknown>> => {
    const answer = await request.get('/api/user', { headers: signedIn(person) });
    expect(answer.status()).toBe(200);
    return answer.json();
  };
  const before = await read();
  expect(before).toMatchObject({ username: person.username, disclaimerAccepted: false, deploymentCount: 0 });
  expect(fieldsOf(before).filter((name) => SECRET.test(name))).toEqual([]);
  expect(JSON.stringify(before)).not.toContain(person.accessToken);

  await request.post('/api/accept-disclaimer', { headers: signedIn(person) });
  const made = await call(request, person, 'deployments.create', { name: 'Counted', platform: 'built-in' });
  expect(made.status).toBe(200);
  expect(await read()).toMatchObject({ disclaimerAccepted: true, deploymentCount: 1 });
  await call(request, person, 'deployments.remove', { deploymentId: made.data.id });
  await expect.poll(async () => (await read()).deploymentCount).toBe(0);
});

test('the forms send the documented fields, and the browser keeps no secret', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  const bodies: [string, Record<string, unknown>][] = [];
  page.on('request', (sent) => {
    if (sent.method() === 'POST' && /register|login/.test(sent.url())) {
      bodies.push([sent.url(), sent.postDataJSON()]);
    }
  });
  await page.goto('/register');
  const credentials = await registerHere(page);
  const [, registered] = bodies[0] ?? [];
  const flat = JSON.stringify(registered);
  // The second password stays in the form.
  expect(flat).toContain(JSON.stringify(credentials));
  expect(flat).not.toMatch(/confirm/i);

  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toContain(credentials.password);
  // What scripts of the page can read of the cookies names no session.
  expect(await page.evaluate(() => document.cookie)).not.toMatch(/token|session/i);
});

test('a body with other fields is refused, and the answer names the field', async ({ request }) => {
  const credentials = newCredentials();
  const refused = await request.post('/api/register', { data: { ...credentials, email: 'nowhere' } });
  expect(refused.status()).toBe(400);
  expect(await refused.text()).toContain('Please enter a valid email address');
  const feedback = await request.post('/api/feedback', { data: { rating: 6, deploymentId: 'main-app' } });
  expect(feedback.status()).toBe(400);
  const rated = await request.post('/api/feedback', { data: { rating: 5, deploymentId: 'main-app' } });
  expect(rated.ok(), await rated.text()).toBe(true);
});
