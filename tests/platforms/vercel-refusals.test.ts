import { expect, test } from 'vitest';
import { platformHarness, published, restored } from '../support/platform-harness.ts';
import type { Fault, Step } from '../support/standins/faults.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

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
  /** The platform asks for a wait of more than a day. */
  waits?: true;
};

function said(status: number, code: string, message: string, more: Record<string, unknown> = {}): Fault {
  return { how: 'status', status, body: { error: { code, message, ...more } } };
}

/**
 * The commonest refusals: vercel.com/docs/rest-api/errors, the API's description, and reports of its users.
 */
const ROWS: readonly Row[] = [
  {
    title: 'a token that is wrong',
    step: 'look',
    fault: said(401, 'unauthorized', 'Not authorized'),
    code: 'credentials_invalid',
    says: 'Vercel does not accept the token of this connection any more.',
    remedy: 'Connect Vercel again',
  },
  {
    title: 'a token that is wrong, said with 403',
    step: 'look',
    fault: said(403, 'forbidden', 'Not authorized', { invalidToken: true }),
    code: 'credentials_invalid',
    says: 'does not accept the token',
    remedy: 'https://vercel.com/account/tokens',
  },
  {
    title: 'a team that the token does not open',
    step: 'site',
    fault: said(403, 'forbidden', 'Not authorized: Trying to access resource under scope "acme".'),
    code: 'permission_missing',
    says: 'under scope "acme"',
    remedy: 'Give the token this permission at Vercel',
  },
  {
    title: 'a team that asks for single sign-on',
    step: 'site',
    fault: said(403, 'forbidden', 'To access this resource you must log in with SAML.', { saml: true }),
    code: 'permission_missing',
    says: 'you must log in with SAML',
    remedy: 'Give the token this permission',
  },
  {
    title: 'an account that is blocked',
    step: 'release',
    fault: said(402, 'account_blocked', 'The account was soft-blocked.'),
    code: 'payment_required',
    says: 'The account was soft-blocked',
    remedy: 'https://vercel.com/account/billing',
  },
  {
    title: 'a payment that is missing',
    step: 'site',
    fault: said(402, 'missing_payment', 'The account is missing a payment so payment method must be updated.'),
    code: 'payment_required',
    says: 'payment method must be updated',
    remedy: 'Settle it at Vercel',
  },
  {
    title: 'protection that the plan lacks',
    step: 'site',
    fault: said(428, 'precondition_required', 'Owner does not have protection add-on'),
    code: 'plan_limit',
    says: 'Your plan at Vercel does not allow this',
    remedy: 'https://vercel.com/pricing',
  },
  {
    title: 'a name that cannot be one',
    step: 'site',
    fault: said(400, 'bad_request', 'The name contains invalid characters.'),
    code: 'platform_failed',
    says: 'The name contains invalid characters',
    remedy: 'look at Vercel',
  },
  {
    title: 'a project that is gone',
    step: 'release',
    fault: said(404, 'not_found', 'Project not found.'),
    code: 'platform_place_gone',
    says: 'The site of this deployment was deleted at Vercel.',
    remedy: 'Try again',
  },
  {
    title: 'a project that is being moved to another team',
    step: 'release',
    fault: said(409, 'conflict', 'The deployment project is being transferred'),
    code: 'out_of_sync',
    says: 'being transferred',
    remedy: 'goes on by itself',
  },
  {
    title: 'the uploads of a day',
    step: 'upload',
    fault: said(
      429,
      'rate_limited',
      'Too many requests - try again in 24 hours (more than 5000, code: "api-upload-free").',
    ),
    code: 'quota_exhausted',
    says: 'try again in 24 hours',
    remedy: 'Try again later',
  },
  {
    title: 'the deployments of a day',
    step: 'release',
    fault: said(402, 'api-deployments-free-per-day', 'Resource is limited - try again in 24 hours (more than 100).'),
    code: 'quota_exhausted',
    says: 'Resource is limited',
    remedy: 'somewhere other than Vercel',
  },
  {
    title: 'requests that come too fast, for a time that the headers name',
    step: 'state',
    fault: {
      how: 'status',
      status: 429,
      headers: { 'retry-after': '3600' },
      body: { error: { code: 'rate_limited', message: 'The rate limit of 100 exceeded.' } },
    },
    code: 'rate_limited',
    says: 'Vercel asks us to slow down.',
    remedy: 'It goes on by itself',
  },
  {
    title: 'requests that come too fast, for a time that the body names',
    step: 'state',
    fault: said(429, 'rate_limited', 'The rate limit of 6 exceeded. Try again in 7 days', {
      limit: { remaining: 0, reset: 4_102_444_800, resetMs: 4_102_444_800_000, total: 6 },
    }),
    code: 'rate_limited',
    says: 'Vercel asks us to slow down.',
    remedy: 'It goes on by itself',
    waits: true,
  },
  {
    title: 'a file that is too large',
    step: 'upload',
    fault: said(413, 'size_limit_exceeded', 'File size limit exceeded (100 MB)'),
    code: 'content_refused',
    says: 'File size limit exceeded (100 MB)',
    remedy: 'Change or leave out what is named',
  },
  {
    title: 'a site that is too large for the plan',
    step: 'release',
    fault: said(400, 'size_limit_exceeded', 'The total size of the files exceeds 100 MB.'),
    code: 'content_refused',
    says: 'exceeds 100 MB',
    remedy: 'leave out',
  },
  {
    title: 'too many files',
    step: 'release',
    fault: said(400, 'bad_request', 'Invalid request: `files` should NOT have more than 15000 items, received 17159.'),
    code: 'content_refused',
    says: '15000 items',
    remedy: 'leave out',
  },
  {
    title: 'a digest that does not fit',
    step: 'upload',
    fault: said(400, 'bad_request', 'Digest is not valid'),
    code: 'platform_failed',
    says: 'Digest is not valid',
    remedy: 'Try again',
  },
  {
    title: 'a build that fails there',
    step: 'release',
    fault: { how: 'states', states: ['error', 'error'] },
    code: 'platform_failed',
    says: 'Vercel could not do it: The build failed.',
    remedy: 'look at Vercel what it says',
  },
  {
    title: 'a release that is cancelled there',
    step: 'release',
    fault: { how: 'states', states: ['canceled', 'canceled'] },
    code: 'platform_failed',
    says: 'it was cancelled there',
    remedy: 'Try again',
  },
  {
    title: 'a server that is down',
    step: 'state',
    fault: { how: 'garbage', status: 502 },
    code: 'platform_down',
    says: 'Vercel does not answer as it should',
    remedy: 'status page of Vercel',
  },
  {
    title: 'a domain of another project',
    step: 'attach',
    act: 'attach',
    fault: said(409, 'domain_already_in_use', "Cannot add example.com since it's already in use by another project."),
    code: 'domain_taken',
    says: 'Another site at Vercel has this domain',
    remedy: 'take the domain off it',
  },
  {
    title: 'a domain of another account',
    step: 'attach',
    act: 'attach',
    fault: said(403, 'forbidden', "You don't have access to the domain you are adding."),
    code: 'domain_taken',
    says: "don't have access to the domain",
    remedy: 'who runs its DNS can prove it',
  },
  {
    title: 'a domain before anything is public',
    step: 'attach',
    act: 'attach',
    fault: said(400, 'bad_request', 'The latest production deployment for the project was not successful.'),
    code: 'platform_failed',
    says: 'production deployment for the project was not successful',
    remedy: 'Try again',
  },
  {
    title: 'a release that was deleted there',
    step: 'restore',
    act: 'restore',
    fault: said(410, 'deployment_deleted', 'The deployment was deleted.'),
    code: 'platform_failed',
    says: 'The deployment was deleted',
    remedy: 'Try again',
  },
];

test.each(ROWS)('$title is said in words, with what to do', async ({ step, act, fault, code, says, remedy, waits }) => {
  await using subject = await vercelUnderTest();
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
    ...(waits && { retryAfterMs: expect.toSatisfy((ms: number) => ms > 24 * 3_600_000) }),
  });
  if (waits) expect(standIn.requests.filter((request) => request.step === step)).toHaveLength(1);
});
