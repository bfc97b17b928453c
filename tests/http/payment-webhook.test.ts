import { expect, test } from 'vitest';
import { PaymentEventModel } from '../../server/database/models/plans/payment-event.ts';
import { createTestApp } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { createStripeApp, payUntold } from '../support/stripe-app.ts';

type Sent = { body: Uint8Array; signature?: string; headers?: Record<string, string>; method?: string };

async function send(url: string, { body, signature = '', headers, method = 'POST' }: Sent) {
  const answer = await fetch(`${url}/api/payments/webhook`, {
    method,
    ...(method === 'POST' && { body: new Uint8Array(body) }),
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature, ...headers },
  });
  const { status } = answer;
  return { status, allow: answer.headers.get('allow'), body: await answer.json() };
}

test('a signed notice is answered once it is stored, and again when it comes again', async () => {
  await using app = await createStripeApp();
  await using listener = await listen(app);
  const ada = await app.person();
  const notice = app.signed('checkout.session.completed', await payUntold(app, ada, 'PRO'));

  const answers = await Promise.all([send(listener.url, notice), send(listener.url, notice)]);
  const again = await send(listener.url, notice);

  expect([...answers, again].map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(again.body).toEqual({ received: true });
  expect(await PaymentEventModel.countDocuments({ accountId: ada.user.id })).toBe(1);
  await app.jobs.drain();
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO' });
});

test('what Stripe has not signed is refused, whatever it is, and nothing of it is stored', async () => {
  await using app = await createStripeApp();
  await using listener = await listen(app);
  const ada = await app.person();
  const notice = app.signed('checkout.session.completed', await payUntold(app, ada, 'PRO'));
  const pretty = Buffer.from(JSON.stringify(JSON.parse(notice.body.toString()), null, 2));
  const large = Buffer.alloc(101 * 1024, ' ');

  expect(await send(listener.url, { ...notice, body: pretty })).toMatchObject({ status: 400 });
  expect(await send(listener.url, { body: notice.body })).toMatchObject({ status: 400 });
  expect(await send(listener.url, { ...notice, body: large })).toMatchObject({
    status: 413,
    body: { code: 'body_too_large' },
  });
  expect(await send(listener.url, { ...notice, headers: { 'Content-Encoding': 'gzip' } })).toMatchObject({
    status: 415,
  });
  expect(await send(listener.url, { ...notice, headers: { Origin: 'https://another.example' } })).toMatchObject({
    status: 403,
  });
  expect(await send(listener.url, { ...notice, method: 'GET' })).toMatchObject({ status: 405, allow: 'POST' });
  expect(await PaymentEventModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});

test('without Stripe nobody listens there', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  expect(await send(listener.url, { body: Buffer.from('{}') })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});
