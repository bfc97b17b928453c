import { expect, test } from 'vitest';
import { platformHarness, published } from '../support/platform-harness.ts';
import type { Fault, Step } from '../support/standins/faults.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';

type Row = {
  title: string;
  /** The step that is refused. Steps of attaching a domain come after a release that was published. */
  step: Step;
  fault: Fault;
  code: string;
  says: string;
  remedy: string;
};

function said(status: number, message: string, headers: Record<string, string> = {}): Fault {
  return { how: 'status', status, headers, body: { id: 'req-1', message } };
}

/** The commonest refusals: Render's description of its API, its documentation, and reports of its users. */
const ROWS: readonly Row[] = [
  {
    title: 'a key that is wrong',
    step: 'account',
    fault: said(401, 'unauthorized'),
    code: 'credentials_invalid',
    says: 'Render no longer accepts the token of this connection.',
    remedy: 'https://dashboard.render.com/settings#api-keys',
  },
  {
    title: 'a key that was revoked in the middle',
    step: 'state',
    fault: said(401, 'unauthorized'),
    code: 'credentials_invalid',
    says: 'no longer accepts the token',
    remedy: 'Connect Render again',
  },
  {
    title: 'a workspace without a means of payment',
    step: 'finish',
    fault: said(402, 'Payment information is required to complete this request.'),
    code: 'payment_required',
    says: 'Payment information is required',
    remedy: 'https://dashboard.render.com/billing',
  },
  {
    title: 'a means of payment that is missing, said with 400',
    step: 'finish',
    fault: said(400, 'You must add a card to this workspace.'),
    code: 'payment_required',
    says: 'add a card',
    remedy: 'Settle it at Render',
  },
  {
    title: 'a workspace that the key does not open',
    step: 'finish',
    fault: said(403, 'You do not have permission to perform this action.'),
    code: 'permission_missing',
    says: 'You do not have permission',
    remedy: 'Give the token this permission at Render',
  },
  {
    title: 'a repository that cannot be read',
    step: 'finish',
    fault: said(400, 'invalid repository'),
    code: 'platform_failed',
    says: 'invalid repository',
    remedy: 'Render reads the repository only if it is public at GitHub and has not been renamed.',
  },
  {
    title: 'a name that another service has',
    step: 'finish',
    fault: said(409, 'name already in use'),
    code: 'name_taken',
    says: 'name already in use',
    remedy: 'as a new deployment with another name',
  },
  {
    title: 'a name that cannot be one',
    step: 'finish',
    fault: said(400, 'name must be between 1 and 63 characters'),
    code: 'platform_failed',
    says: 'between 1 and 63 characters',
    remedy: 'as a new deployment, with a name of letters',
  },
  {
    title: 'a plan that ends here',
    step: 'finish',
    fault: said(403, 'upgrade your plan'),
    code: 'plan_limit',
    says: 'upgrade your plan',
    remedy: 'https://dashboard.render.com/billing',
  },
  {
    title: 'as many services as the workspace may have',
    step: 'finish',
    fault: said(400, 'service limit reached for this workspace'),
    code: 'plan_limit',
    says: 'service limit reached',
    remedy: 'make room there',
  },
  {
    title: 'build minutes that are used up',
    step: 'finish',
    fault: said(400, 'You have used all build minutes of this month.'),
    code: 'quota_exhausted',
    says: 'all build minutes',
    remedy: 'https://dashboard.render.com/billing',
  },
  {
    title: 'a service that is suspended',
    step: 'finish',
    fault: said(400, 'service is suspended'),
    code: 'platform_failed',
    says: 'service is suspended',
    remedy: 'Resume the service at https://dashboard.render.com first.',
  },
  {
    title: 'a service that was deleted',
    step: 'state',
    fault: said(404, 'not found'),
    code: 'platform_place_gone',
    says: 'deleted at Render',
    remedy: 'Try again',
  },
  {
    title: 'a service that is gone for good',
    step: 'state',
    fault: said(410, 'gone'),
    code: 'platform_place_gone',
    says: 'deleted at Render',
    remedy: 'Try again',
  },
  {
    title: 'requests that come too fast',
    step: 'state',
    fault: said(429, 'rate limit exceeded', { 'ratelimit-reset': '3600' }),
    code: 'rate_limited',
    says: 'Render asks us to slow down.',
    remedy: 'It continues automatically',
  },
  {
    title: 'an API that is away',
    step: 'state',
    fault: said(503, 'unavailable'),
    code: 'platform_down',
    says: 'unavailable',
    remedy: 'status page of Render',
  },
  {
    title: 'a page in the place of an answer',
    step: 'state',
    fault: { how: 'garbage', status: 502 },
    code: 'platform_down',
    says: 'did not respond as expected',
    remedy: 'status page of Render',
  },
  {
    title: 'a build that failed',
    step: 'finish',
    fault: { how: 'states', states: ['build_in_progress', 'error'] },
    code: 'platform_failed',
    says: 'Render could not do it: build failed.',
    remedy: 'the log of this release',
  },
  {
    title: 'a domain that another service has',
    step: 'attach',
    fault: said(409, 'domain shop.example.com is already in use'),
    code: 'domain_taken',
    says: 'Another site at Render has this domain',
    remedy: 'take the domain off it',
  },
  {
    title: 'as many domains as the plan has',
    step: 'attach',
    fault: said(400, 'You have reached the custom domain limit of your plan.'),
    code: 'plan_limit',
    says: 'custom domain limit',
    remedy: 'make room there',
  },
  {
    title: 'a domain that cannot be one',
    step: 'attach',
    fault: said(400, 'invalid domain name'),
    code: 'platform_failed',
    says: 'invalid domain name',
    remedy: 'Check how the domain is spelled',
  },
];

test.each(ROWS)('$title: Render says what, what it means and what to do', async ({ step, fault, ...row }) => {
  await using subject = await renderUnderTest();
  await using harness = await platformHarness();
  const { platform, standIn } = subject;
  standIn.fail(step, fault, 100);
  const whole = async (): Promise<void> => {
    await published(platform, harness.call, await harness.release(1, { 'index.html': 'one' }));
    await platform.attachDomain?.(harness.call, 'shop.example.com');
  };
  await expect(whole()).rejects.toMatchObject({
    code: row.code,
    message: expect.stringContaining(row.says),
    hint: expect.stringContaining(row.remedy),
  });
  expect(subject.world.drift).toEqual([]);
});
