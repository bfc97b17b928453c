import { expect, test } from 'vitest';
import { platformHarness, published, restored } from '../support/platform-harness.ts';
import type { Fault, Step } from '../support/standins/faults.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';

const FILES = { 'index.html': 'one' };

type Row = {
  title: string;
  /** The step that is refused; of publishing, unless `act` is set. */
  step: Step;
  act?: 'attach' | 'restore';
  fault: Fault;
  code: string;
  says: string;
  remedy: string;
};

function said(status: number, id: string, message: string): Fault {
  return { how: 'status', status, body: { id, message } };
}

/** The commonest refusals: Heroku Dev Center, "Platform API Reference" and "Limits", and reports of its users. */
const ROWS: readonly Row[] = [
  {
    title: 'a token that is wrong',
    step: 'look',
    fault: said(401, 'unauthorized', 'Invalid credentials provided.'),
    code: 'credentials_invalid',
    says: 'Heroku does not accept the token of this connection any more.',
    remedy: 'https://dashboard.heroku.com/account/applications',
  },
  {
    title: 'a token without the scope for it',
    step: 'site',
    fault: said(403, 'forbidden', 'The scope of this OAuth authorization does not allow access to this resource.'),
    code: 'permission_missing',
    says: 'does not allow access to this resource',
    remedy: 'Give the token this permission at Heroku',
  },
  {
    title: 'a team that the token does not open',
    step: 'site',
    fault: said(403, 'forbidden', 'You do not have permission to create apps on this team.'),
    code: 'permission_missing',
    says: 'create apps on this team',
    remedy: 'Give the token this permission',
  },
  {
    title: 'an account without a payment card',
    step: 'site',
    fault: said(402, 'verification_needed', 'Please verify your account to create an app.'),
    code: 'payment_required',
    says: 'Please verify your account',
    remedy: 'https://dashboard.heroku.com/account/billing',
  },
  {
    title: 'an account without a payment card, said with 422',
    step: 'finish',
    fault: said(422, 'verification_needed', 'Please verify your account with a card.'),
    code: 'payment_required',
    says: 'with a card',
    remedy: 'Settle it at Heroku',
  },
  {
    title: 'a bill that was not paid',
    step: 'finish',
    fault: said(402, 'delinquent', 'Your account is delinquent.'),
    code: 'payment_required',
    says: 'Your account is delinquent',
    remedy: 'Settle it at Heroku',
  },
  {
    title: 'an account that is suspended',
    step: 'release',
    fault: said(403, 'suspended', 'Your account has been suspended.'),
    code: 'payment_required',
    says: 'has been suspended',
    remedy: 'https://dashboard.heroku.com/account/billing',
  },
  {
    title: 'Eco dynos without their subscription',
    step: 'certificate',
    fault: said(422, 'invalid_params', 'Cannot use Eco dynos: subscribe to the Eco Dynos Plan first.'),
    code: 'payment_required',
    says: 'subscribe to the Eco Dynos Plan',
    remedy: 'Settle it at Heroku',
  },
  {
    title: 'as many apps as the account may have',
    step: 'site',
    fault: said(422, 'invalid_params', 'You have reached the limit of 100 apps.'),
    code: 'plan_limit',
    says: 'the limit of 100 apps',
    remedy: 'make room there',
  },
  {
    title: 'a name that cannot be one',
    step: 'site',
    fault: said(422, 'invalid_params', 'Name must start with a letter.'),
    code: 'platform_failed',
    says: 'Name must start with a letter',
    remedy: 'look at Heroku',
  },
  {
    title: 'an app that was deleted',
    step: 'finish',
    fault: said(404, 'not_found', 'Couldn’t find that app.'),
    code: 'platform_place_gone',
    says: 'The site of this deployment was deleted at Heroku.',
    remedy: 'Try again',
  },
  {
    title: 'builds that run already',
    step: 'finish',
    fault: said(422, 'invalid_params', 'Maximum number of concurrent builds reached.'),
    code: 'rate_limited',
    says: 'Heroku asks us to slow down.',
    remedy: 'It goes on by itself',
  },
  {
    title: 'an archive that is not the one that was announced',
    step: 'finish',
    fault: said(422, 'invalid_params', 'The checksum of the source blob does not match.'),
    code: 'out_of_sync',
    says: 'checksum',
    remedy: 'goes on by itself',
  },
  {
    title: 'an address of the storage that has ended',
    step: 'upload',
    fault: { how: 'status', status: 403, body: '<Error><Code>SignatureDoesNotMatch</Code></Error>' },
    code: 'out_of_sync',
    says: 'status 403',
    remedy: 'goes on by itself',
  },
  {
    title: 'an archive that is too large for the storage',
    step: 'upload',
    fault: { how: 'status', status: 413, body: '<Error><Code>EntityTooLarge</Code></Error>' },
    code: 'content_refused',
    says: 'does not take these files',
    remedy: 'Change or leave out',
  },
  {
    title: 'requests that come too fast',
    step: 'state',
    fault: {
      how: 'status',
      status: 429,
      headers: { 'retry-after': '3600' },
      body: { id: 'rate_limit', message: 'Your account reached the API limit.' },
    },
    code: 'rate_limited',
    says: 'Heroku asks us to slow down.',
    remedy: 'It goes on by itself',
  },
  {
    title: 'a version of the API that is there no more',
    step: 'release',
    fault: said(406, 'not_acceptable', 'Require an Accept header for a supported version.'),
    code: 'platform_failed',
    says: 'supported version',
    remedy: 'Try again',
  },
  {
    title: 'a gateway in trouble',
    step: 'state',
    fault: { how: 'garbage', status: 503 },
    code: 'platform_down',
    says: 'does not answer as it should',
    remedy: 'status page of Heroku',
  },
  {
    title: 'a build that failed',
    step: 'finish',
    fault: { how: 'states', states: ['pending', 'error'] },
    code: 'platform_failed',
    says: 'Node.js app detected',
    remedy: 'Try again',
  },
  {
    title: 'a domain that another app has',
    step: 'attach',
    act: 'attach',
    fault: said(422, 'invalid_params', 'The hostname example.com is currently in use by another app.'),
    code: 'domain_taken',
    says: 'Another site at Heroku has this domain',
    remedy: 'take the domain off it',
  },
  {
    title: 'a domain of an account without a payment card',
    step: 'attach',
    act: 'attach',
    fault: said(422, 'verification_needed', 'Please verify your account to add domains.'),
    code: 'payment_required',
    says: 'to add domains',
    remedy: 'Settle it at Heroku',
  },
  {
    title: 'certificates that the kind of dyno does not have',
    step: 'certificate',
    act: 'attach',
    fault: said(422, 'invalid_params', 'Upgrade your dynos to use Automated Certificate Management.'),
    code: 'plan_limit',
    says: 'Upgrade your dynos',
    remedy: 'Change the plan at Heroku',
  },
  {
    title: 'a release that cannot be gone back to',
    step: 'restore',
    act: 'restore',
    fault: said(422, 'invalid_params', 'Cannot roll back to this release.'),
    code: 'platform_failed',
    says: 'Cannot roll back to this release',
    remedy: 'Try again',
  },
];

test.each(ROWS)('$title is said in words, with what to do', async ({ step, act, fault, code, says, remedy }) => {
  await using subject = await herokuUnderTest();
  await using harness = await platformHarness();
  const { platform, standIn } = subject;
  const publish = async (number: number, text: string) =>
    published(platform, harness.call, await harness.release(number, { ...FILES, 'b.txt': text }));
  const one = act === undefined ? null : await publish(1, 'one');
  if (act === 'restore') await publish(2, 'two');
  standIn.fail(step, fault, fault.how === 'states' ? 1 : 100);
  const acts = {
    attach: () => platform.attachDomain?.(harness.call, 'example.com'),
    restore: () => restored(platform, harness.call, one?.ref ?? {}),
  };
  const done = act === undefined ? publish(1, 'one') : acts[act]();
  await expect(done).rejects.toMatchObject({
    code,
    message: expect.stringContaining(says),
    hint: expect.stringContaining(remedy),
  });
});
