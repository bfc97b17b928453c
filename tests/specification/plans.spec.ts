import { expect, test } from '../browser/fixtures.ts';
import { ask, call, enrol, type Person, seenBefore, signedIn } from './accounts.ts';

function deployment(name: string): { name: string; platform: 'built-in' } {
  return { name, platform: 'built-in' };
}

test('without a subscription the limit is 0, and the answer names plan, number and how to get more', async ({
  request,
}) => {
  const person = await enrol(request);
  // Two at once are no way around it.
  const answers = await Promise.all(
    [1, 2].map((n) => call(request, person, 'deployments.create', deployment(`Free ${n}`))),
  );
  for (const { status, data, message } of answers) {
    expect(status).toBe(403);
    const hint = 'Start the free 14-day trial of Pro under Pricing & Trial.';
    expect(data).toMatchObject({ code: 'deployment_limit_reached', httpStatus: 403, hint });
    expect(message).toBe(`The Free plan allows no deployments. ${hint}`);
  }
  const list = await ask(request, person, 'deployments.list', {});
  expect(list.data.items).toEqual([]);
});

test('the PRO trial has no limit, is given once, and counts what is there', async ({ request }) => {
  const person = await enrol(request, { accepted: true, subscribed: true });
  const count = async (): Promise<unknown> => {
    const answer = await request.get('/api/user', { headers: signedIn(person) });
    const user: { deploymentCount?: unknown } = await answer.json();
    return user.deploymentCount;
  };
  // More than STANDARD allows, all at once.
  const made = await Promise.all(
    ['one', 'two', 'three', 'four', 'five'].map((name) =>
      call(request, person, 'deployments.create', deployment(name)),
    ),
  );
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(made.map(({ data }) => data.id)).size).toBe(5);
  for (const { data } of made) {
    expect(data).toMatchObject({ slug: expect.any(String), url: expect.stringMatching(/^http/), state: 'draft' });
  }
  expect(await count()).toBe(5);

  const idempotencyKey = crypto.randomUUID();
  const twice = await Promise.all(
    [1, 2].map(() => call(request, person, 'deployments.create', { ...deployment('six'), idempotencyKey })),
  );
  expect(twice[0]?.data.id).toBe(twice[1]?.data.id);
  expect(await count()).toBe(6);

  const again = await call(request, person, 'subscription.startTrial');
  expect(again).toMatchObject({ status: 409, data: { code: 'trial_used' } });
});

test('what is another account’s is not found, and who is nobody is told to log in', async ({
  request,
  playwright,
  app,
}) => {
  const owner = await enrol(request, { accepted: true, subscribed: true });
  const { data } = await call(request, owner, 'deployments.create', deployment('Mine'));
  const elsewhere = await playwright.request.newContext({ baseURL: app.url });
  const stranger = await enrol(elsewhere, { accepted: true, subscribed: true });
  for (const procedure of ['deployments.remove'] as const) {
    const refused = await call(elsewhere, stranger, procedure, { deploymentId: data.id });
    expect(refused.status, procedure).toBe(404);
  }
  const nobody = await playwright.request.newContext({ baseURL: app.url });
  for (const procedure of ['deployments.create', 'subscription.startTrial']) {
    expect((await call(nobody, undefined, procedure, deployment('Nobody'))).status, procedure).toBe(401);
  }
  await elsewhere.dispose();
  await nobody.dispose();
  expect((await ask(request, owner, 'deployments.list', {})).data.items).toHaveLength(1);
});

test('the screens say what is left: none without a plan, no limit with the trial', async ({ page, context, app }) => {
  const person: Person = await enrol(context.request);
  await seenBefore(context, app.url);
  await page.goto('/dashboard');
  const main = page.getByRole('main');
  await expect(main.getByText('No plan is active', { exact: true })).toBeVisible();
  await expect(main.getByText('Publishing starts with a free trial of 14 days, without a card.')).toBeVisible();
  await call(context.request, person, 'subscription.startTrial');
  await page.goto('/dashboard');
  await expect(main.getByText('0 deployments on Pro · unlimited', { exact: true })).toBeVisible();
});
