import { expect, test } from 'vitest';
import type { ErrorCode } from '../../routers/schemas/errors.ts';
import { platformHarness, published } from '../support/platform-harness.ts';
import type { Step } from '../support/standins/faults.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

type Refusal = {
  step: Step;
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  code: ErrorCode;
  says: string;
  hint: string;
};

const LATER = { 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 3_600) };
const TOKENS = 'https://app.netlify.com/user/applications#personal-access-tokens';

const REFUSALS: readonly Refusal[] = [
  {
    step: 'look',
    status: 401,
    body: { code: 401, message: 'Access Denied' },
    code: 'credentials_invalid',
    says: 'Netlify no longer accepts the token of this connection.',
    hint: `Connect Netlify again, then try again. ${TOKENS}`,
  },
  {
    step: 'site',
    status: 403,
    body: { code: 403, message: 'Forbidden' },
    code: 'permission_missing',
    says: 'Netlify refused this because a permission is missing: Forbidden.',
    hint: 'Give the token this permission at Netlify, then try again.',
  },
  {
    step: 'site',
    status: 422,
    body: { errors: { subdomain: ['must be unique'] } },
    code: 'name_taken',
    says: 'Somebody else has this name at Netlify: subdomain must be unique.',
    hint: 'Publish these files as a new deployment with another name.',
  },
  {
    step: 'site',
    status: 422,
    body: { errors: { name: ['has already been taken'] } },
    code: 'name_taken',
    says: 'Somebody else has this name at Netlify: name has already been taken.',
    hint: 'Publish these files as a new deployment with another name.',
  },
  {
    step: 'site',
    status: 422,
    body: { code: 422, message: 'You have reached the limit of sites of your plan' },
    code: 'plan_limit',
    says: 'Your plan at Netlify does not allow this: You have reached the limit of sites of your plan.',
    hint: 'Change the plan at Netlify, or make room there, then try again. https://app.netlify.com/teams',
  },
  {
    step: 'site',
    status: 402,
    body: { code: 402, message: 'Payment Required' },
    code: 'payment_required',
    says: 'Netlify asks for a payment or a payment method first: Payment Required.',
    hint: 'Settle it at Netlify, then try again. https://app.netlify.com/teams',
  },
  {
    step: 'release',
    status: 403,
    body: { code: 403, message: 'This team has used up its credits' },
    code: 'plan_limit',
    says: 'Your plan at Netlify does not allow this: This team has used up its credits.',
    hint: 'Change the plan at Netlify, or make room there, then try again. https://app.netlify.com/teams',
  },
  {
    step: 'release',
    status: 403,
    body: { code: 403, message: 'Site was paused as it reached its usage limits' },
    code: 'plan_limit',
    says: 'Your plan at Netlify does not allow this: Site was paused as it reached its usage limits.',
    hint: 'Change the plan at Netlify, or make room there, then try again. https://app.netlify.com/teams',
  },
  {
    step: 'release',
    status: 404,
    body: { code: 404, message: 'Not Found' },
    code: 'platform_place_gone',
    says: 'The site of this deployment was deleted at Netlify.',
    hint: 'Try again: the site is created again there.',
  },
  {
    step: 'release',
    status: 422,
    body: { errors: "Invalid filename 'a#b.html'" },
    code: 'content_refused',
    says: "Netlify does not accept these files: Invalid filename 'a#b.html'.",
    hint: 'Change or leave out what is named, then publish again.',
  },
  {
    step: 'release',
    status: 422,
    body: { errors: ['Too many files in one directory'] },
    code: 'content_refused',
    says: 'Netlify does not accept these files: Too many files in one directory.',
    hint: 'Change or leave out what is named, then publish again.',
  },
  {
    step: 'release',
    status: 429,
    headers: LATER,
    body: { code: 429, message: 'Too Many Requests' },
    code: 'rate_limited',
    says: 'Netlify asks us to slow down.',
    hint: 'It continues automatically; there is nothing to do.',
  },
  {
    step: 'release',
    status: 502,
    body: '<html><head><title>502</title></head><body>Bad Gateway</body></html>',
    code: 'platform_down',
    says: 'Netlify did not respond as expected: status 502.',
    hint: 'Fairlead tries again automatically. If it lasts, look at the status page of Netlify.',
  },
  {
    step: 'release',
    status: 504,
    body: '<html>Gateway Timeout</html>',
    code: 'platform_down',
    says: 'Netlify did not respond as expected: status 504.',
    hint: 'Fairlead tries again automatically. If it lasts, look at the status page of Netlify.',
  },
  {
    step: 'release',
    status: 400,
    body: { error: 'invalid_request' },
    code: 'platform_failed',
    says: 'Netlify could not do it: invalid_request.',
    hint: 'Netlify does not say what is wrong. Give files with unusual characters in their names simpler names, then publish again.',
  },
  {
    step: 'upload',
    status: 422,
    body: { errors: 'The file index.html did not match the digest of the deploy' },
    code: 'out_of_sync',
    says: 'The state of this release at Netlify differs from the one here: The file index.html did not match the digest of the deploy.',
    hint: 'It is checked again automatically.',
  },
  {
    step: 'upload',
    status: 422,
    body: { code: 422, message: 'Build is already done' },
    code: 'out_of_sync',
    says: 'The state of this release at Netlify differs from the one here: Build is already done.',
    hint: 'It is checked again automatically.',
  },
  {
    step: 'upload',
    status: 413,
    body: { code: 413, message: 'Request Entity Too Large' },
    code: 'content_refused',
    says: 'Netlify does not accept these files: Request Entity Too Large.',
    hint: 'Change or leave out what is named, then publish again.',
  },
  {
    step: 'attach',
    status: 422,
    body: { errors: { custom_domain: ['must be unique'] } },
    code: 'domain_taken',
    says: 'Another site at Netlify has this domain: custom_domain must be unique.',
    hint: 'If that site is yours, take the domain off it, then try again. If not, ask Netlify to release the domain: you can prove through its DNS that it is yours.',
  },
  {
    step: 'attach',
    status: 422,
    body: { errors: { domain_aliases: ['shop.example.com is already in use'] } },
    code: 'domain_taken',
    says: 'Another site at Netlify has this domain: domain_aliases shop.example.com is already in use.',
    hint: 'If that site is yours, take the domain off it, then try again. If not, ask Netlify to release the domain: you can prove through its DNS that it is yours.',
  },
  {
    step: 'attach',
    status: 422,
    body: { errors: { custom_domain: ['is not a valid domain'] } },
    code: 'platform_failed',
    says: 'Netlify could not do it: custom_domain is not a valid domain.',
    hint: 'Check how the domain is spelled, then add it again.',
  },
  {
    step: 'restore',
    status: 422,
    body: { code: 422, message: 'Deploy is not ready' },
    code: 'out_of_sync',
    says: 'The state of this release at Netlify differs from the one here: Deploy is not ready.',
    hint: 'It is checked again automatically.',
  },
];

test.each(REFUSALS)('$status in $step, $body: $code', async ({ step, status, headers, body, code, says, hint }) => {
  await using subject = await netlifyUnderTest();
  await using harness = await platformHarness();
  const { platform, standIn } = subject;
  standIn.fail(step, { how: 'status', status, body, ...(headers !== undefined && { headers }) }, 100);
  const whole = async (): Promise<void> => {
    const { ref } = await published(platform, harness.call, await harness.release(1, { 'index.html': 'one' }));
    await platform.attachDomain?.(harness.call, 'shop.example.com');
    for await (const _event of platform.restore?.(harness.call, { ref, actId: 'an act' }) ?? []);
  };
  await expect(whole()).rejects.toMatchObject({ code, message: says, hint });
  expect(standIn.drift).toEqual([]);
});
