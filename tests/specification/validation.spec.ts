import type { APIRequestContext, Page } from '@playwright/test';
import { expect, newCredentials, test } from '../browser/fixtures.ts';
import { IS_FULL } from '../support/size.ts';
import { seenBefore } from './accounts.ts';
import { callsOf, watchCalls } from './calls.ts';

/** The same words are asked of the form and of the server. */
const TOO_SHORT_NAME = 'Username must be at least 3 characters';
const TOO_LONG_NAME = 'Username must be less than 50 characters';
const WRONG_NAME = 'Username can only contain letters, numbers, spaces, underscores and hyphens';

type Fault = { field: string; value: string; message: string };

const LOGIN_FAULTS: Fault[] = [
  { field: 'username', value: 'ab', message: TOO_SHORT_NAME },
  { field: 'username', value: 'a'.repeat(51), message: TOO_LONG_NAME },
  { field: 'password', value: '12345', message: 'Password must be at least 6 characters' },
  { field: 'password', value: 'a'.repeat(101), message: 'Password is too long' },
];

const REGISTRATION_FAULTS: Fault[] = [
  { field: 'username', value: 'ab', message: TOO_SHORT_NAME },
  { field: 'username', value: '  ab  ', message: TOO_SHORT_NAME },
  { field: 'username', value: 'a'.repeat(51), message: TOO_LONG_NAME },
  { field: 'username', value: 'sailor!', message: WRONG_NAME },
  { field: 'username', value: 'sailör', message: WRONG_NAME },
  { field: 'email', value: 'sailor', message: 'Please enter a valid email address' },
  { field: 'email', value: 'sailor@', message: 'Please enter a valid email address' },
  { field: 'email', value: longEmail(101), message: 'Email is too long' },
  { field: 'password', value: 'Abcdef1', message: 'Password must be at least 8 characters' },
  { field: 'password', value: `Aa1${'a'.repeat(98)}`, message: 'Password is too long' },
  { field: 'password', value: 'anchor weigh 1', message: 'Password must contain at least one uppercase letter' },
  { field: 'password', value: 'ANCHOR WEIGH 1', message: 'Password must contain at least one lowercase letter' },
  { field: 'password', value: 'Anchor weigh', message: 'Password must contain at least one number' },
];

/** The form and the server have one schema: all faults are asked of the server, and outside full counts one a field of the form. */
function oneOfEach(faults: readonly Fault[]): readonly Fault[] {
  return IS_FULL
    ? faults
    : faults.filter(({ field }, index) => faults.findIndex((one) => one.field === field) === index);
}

const LABELS: Record<string, string> = { username: 'Username', email: 'Email', password: 'Password' };

/** Returns an address of exactly so many characters, each of its parts within what mail allows. */
function longEmail(length: number): string {
  const end = `.${'b'.repeat(30)}.example`;
  const start = 'sailor@';
  return `${start}${'c'.repeat(length - start.length - end.length)}${end}`;
}

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [field, value] of Object.entries(values))
    await page.getByLabel(LABELS[field] ?? field, { exact: true }).fill(value);
}

/** The message stands at its own field: the field is marked wrong and names the message as its description. */
async function expectMessage(page: Page, label: string, message: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText(message, { exact: true })).toBeVisible();
  await expect(field).toHaveAccessibleDescription(new RegExp(message));
}

async function expectRefused(
  request: APIRequestContext,
  url: string,
  { data, field, message }: { data: Record<string, unknown>; field: string; message: string },
): Promise<void> {
  const answer = await request.post(url, { headers: { origin: new URL(url).origin }, data });
  const body = await answer.text();
  expect(answer.status(), `${field}: ${body}`).toBe(400);
  expect(body).toContain(message);
  expect(body).toContain(`"${field}"`);
}

test('the login form says what is wrong with each field, and sends nothing until it is right', async ({
  page,
  app,
}) => {
  await seenBefore(page.context(), app.url);
  await page.goto('/login');
  const calls = watchCalls(page);
  for (const { field, value, message } of oneOfEach(LOGIN_FAULTS)) {
    await test.step(`${field}: ${message}`, async () => {
      await fill(page, { username: 'sailor', password: 'Anchor weigh 1', [field]: value });
      await page.getByRole('button', { name: 'Log In', exact: true }).click();
      await expectMessage(page, LABELS[field] ?? field, message);
    });
  }
  expect(callsOf(calls, /login/)).toEqual([]);
});

test('the registration form says what is wrong with each field, and sends nothing until it is right', async ({
  page,
  app,
}) => {
  await seenBefore(page.context(), app.url);
  await page.goto('/register');
  const calls = watchCalls(page);
  const right = newCredentials();
  const submit = page.getByRole('button', { name: 'Register', exact: true });
  for (const { field, value, message } of oneOfEach(REGISTRATION_FAULTS)) {
    await test.step(`${field} ${value.slice(0, 12)}: ${message}`, async () => {
      await fill(page, { ...right, 'Confirm Password': right.password, [field]: value });
      if (field === 'password') await fill(page, { 'Confirm Password': value });
      await submit.click();
      await expectMessage(page, LABELS[field] ?? field, message);
    });
  }
  await test.step('the second password is another', async () => {
    await fill(page, { ...right, 'Confirm Password': `${right.password}2` });
    await submit.click();
    await expectMessage(page, 'Confirm Password', "Passwords don't match");
  });
  expect(callsOf(calls, /register/)).toEqual([]);
});

test('the server says the same of the same fields', async ({ request, app }) => {
  for (const { field, value, message } of LOGIN_FAULTS)
    await expectRefused(request, `${app.url}/api/login`, {
      data: { username: 'sailor', password: 'Anchor weigh 1', [field]: value },
      field,
      message,
    });
  for (const { field, value, message } of REGISTRATION_FAULTS)
    await expectRefused(request, `${app.url}/api/register`, {
      data: { ...newCredentials(), [field]: value },
      field,
      message,
    });
});

test('what is exactly as long as allowed is taken, and a user name loses the spaces around it', async ({
  request,
  app,
}) => {
  const headers = { origin: app.url };
  const unique = newCredentials().username;
  const longest = {
    username: `${unique} ${'n'.repeat(49 - unique.length)}`,
    email: `${Date.now()}${longEmail(100)}`.slice(-100),
    password: `Aa1${'a'.repeat(97)}`,
  };
  const first = await request.post(`${app.url}/api/register`, { headers, data: longest });
  expect(first.ok(), await first.text()).toBe(true);
  expect(await first.json()).toMatchObject({ username: longest.username, email: longest.email });

  const shortest = { username: ` ${shortName()} `, email: newCredentials().email, password: 'Abcdef12' };
  const second = await request.post(`${app.url}/api/register`, { headers, data: shortest });
  expect(second.ok(), await second.text()).toBe(true);
  expect(await second.json()).toMatchObject({ username: shortest.username.trim() });
  const login = await request.post(`${app.url}/api/login`, {
    headers,
    data: { username: ` ${shortest.username} `, password: shortest.password },
  });
  expect(login.ok(), await login.text()).toBe(true);
});

/** Three characters that no other run of this server has taken. */
function shortName(): string {
  return (Date.now() % 46_656).toString(36).padStart(3, '0');
}

// What the dialog says without a star is in feedback.spec.ts.
test('a rating is 1 to 5: anything else is refused by the server, a comment may be left out', async ({
  request,
  app,
}) => {
  const headers = { origin: app.url };
  for (const rating of [0, 6, 2.5, '5', undefined]) {
    const answer = await request.post(`${app.url}/api/feedback`, { headers, data: { rating } });
    expect(answer.status(), `rating ${rating}: ${await answer.text()}`).toBe(400);
    expect(await answer.text()).toContain('"rating"');
  }
  const bare = await request.post(`${app.url}/api/feedback`, { headers, data: { rating: 5 } });
  expect(bare.ok(), await bare.text()).toBe(true);
});
