import { expect, test } from 'vitest';
import type { ErrorCode } from '../../routers/schemas/errors.ts';
import { platformHarness, published } from '../support/platform-harness.ts';
import type { Step } from '../support/standins/faults.ts';
import { initialize, newRepository, OWNER } from '../support/standins/github-pages/state.ts';
import { githubUnderTest } from '../support/standins/github-pages/world.ts';

type Refusal = {
  step: Step;
  status: number;
  headers?: Record<string, string>;
  message: string;
  errors?: unknown;
  code: ErrorCode;
  /** The answer of GitHub and its meaning. */
  says: string;
  hint: string;
};

const LATER_S = 3_600;
const TOKENS = 'https://github.com/settings/tokens';
const BILLING = 'https://github.com/settings/billing';
const WAITS = 'It continues automatically; there is nothing to do.';
const LEAVE_OUT = 'Change or leave out what is named, then publish again.';
const PERMISSION = `Give the token this permission at GitHub Pages, then try again. ${TOKENS}`;

/** docs.github.com: "Troubleshooting the REST API", "Rate limits", "GitHub Pages"; issues of octokit and of this API. */
const REFUSALS: readonly Refusal[] = [
  {
    step: 'look',
    status: 401,
    message: 'Bad credentials',
    code: 'credentials_invalid',
    says: 'GitHub Pages no longer accepts the token of this connection.',
    hint: `Connect GitHub Pages again, then try again. ${TOKENS}`,
  },
  {
    step: 'site',
    status: 403,
    headers: { 'x-accepted-github-permissions': 'administration=write' },
    message: 'Resource not accessible by personal access token',
    code: 'permission_missing',
    says: 'GitHub Pages refused this because a permission is missing: Resource not accessible by personal access token (it needs administration=write).',
    hint: PERMISSION,
  },
  {
    step: 'site',
    status: 404,
    headers: { 'x-oauth-scopes': 'gist', 'x-accepted-oauth-scopes': 'public_repo, repo' },
    message: 'Not Found',
    code: 'permission_missing',
    says: 'GitHub Pages refused this because a permission is missing: Not Found (it needs the scope public_repo or repo).',
    hint: PERMISSION,
  },
  {
    step: 'site',
    status: 422,
    message: 'Repository creation failed.',
    errors: [{ resource: 'Repository', field: 'name', code: 'custom', message: 'name already exists on this account' }],
    code: 'name_taken',
    says: 'Somebody else has this name at GitHub Pages: Repository creation failed. name already exists on this account.',
    hint: 'Publish these files as a new deployment with another name.',
  },
  {
    step: 'site',
    status: 422,
    message: 'Your current plan does not support GitHub Pages for this repository.',
    code: 'plan_limit',
    says: 'Your plan at GitHub Pages does not allow this: Your current plan does not support GitHub Pages for this repository.',
    hint: `Change the plan at GitHub Pages, or make room there, then try again. ${BILLING}`,
  },
  {
    step: 'site',
    status: 403,
    message: 'Upgrade to GitHub Pro or make this repository public to enable this feature.',
    code: 'plan_limit',
    says: 'Your plan at GitHub Pages does not allow this: Upgrade to GitHub Pro or make this repository public to enable this feature.',
    hint: `Change the plan at GitHub Pages, or make room there, then try again. ${BILLING}`,
  },
  {
    step: 'site',
    status: 403,
    message: 'Your account is locked due to a billing issue.',
    code: 'payment_required',
    says: 'GitHub Pages asks for a payment or a payment method first: Your account is locked due to a billing issue.',
    hint: `Settle it at GitHub Pages, then try again. ${BILLING}`,
  },
  {
    step: 'site',
    status: 403,
    message: 'Resource protected by organization SAML enforcement.',
    code: 'permission_missing',
    says: 'GitHub Pages refused this because a permission is missing: Resource protected by organization SAML enforcement.',
    hint: `Authorize the token for the organization (Configure SSO, beside the token), then try again. ${TOKENS}`,
  },
  {
    step: 'upload',
    status: 403,
    headers: { 'retry-after': String(LATER_S) },
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    code: 'rate_limited',
    says: 'GitHub Pages asks us to slow down.',
    hint: WAITS,
  },
  {
    step: 'upload',
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + LATER_S) },
    message: 'API rate limit exceeded for user ID 1.',
    code: 'rate_limited',
    says: 'GitHub Pages asks us to slow down.',
    hint: WAITS,
  },
  {
    step: 'upload',
    status: 429,
    headers: { 'retry-after': String(LATER_S) },
    message: 'Too many requests.',
    code: 'rate_limited',
    says: 'GitHub Pages asks us to slow down.',
    hint: WAITS,
  },
  {
    step: 'upload',
    status: 404,
    message: 'Not Found',
    code: 'platform_place_gone',
    says: 'The site of this deployment was deleted at GitHub Pages.',
    hint: 'Try again: the site is created again there.',
  },
  {
    step: 'upload',
    status: 409,
    message: 'Git Repository is empty.',
    code: 'platform_down',
    says: 'GitHub Pages did not respond as expected: Git Repository is empty.',
    hint: 'Fairlead tries again automatically. If it lasts, look at the status page of GitHub Pages.',
  },
  {
    step: 'upload',
    status: 422,
    message: 'Sorry, your request timed out. It’s likely that your input was too large to process.',
    code: 'platform_down',
    says: 'GitHub Pages did not respond as expected: Sorry, your request timed out. It’s likely that your input was too large to process.',
    hint: 'Fairlead tries again automatically. If it lasts, look at the status page of GitHub Pages.',
  },
  {
    step: 'upload',
    status: 422,
    message: 'tree.path contains a malformed path component',
    code: 'content_refused',
    says: 'GitHub Pages does not accept these files: tree.path contains a malformed path component.',
    hint: LEAVE_OUT,
  },
  {
    step: 'upload',
    status: 409,
    message: 'Repository rule violations found: a secret was detected in the content.',
    code: 'content_refused',
    says: 'GitHub Pages does not accept these files: Repository rule violations found: a secret was detected in the content.',
    hint: LEAVE_OUT,
  },
  {
    step: 'release',
    status: 422,
    message: 'Tree SHA does not exist',
    code: 'platform_failed',
    says: 'GitHub Pages could not do it: Tree SHA does not exist.',
    hint: 'Somebody rewrote the history of the repository at GitHub. Delete it there and try again, so that it is created again, or choose another.',
  },
  {
    step: 'finish',
    status: 422,
    message: 'Update is not a fast forward',
    code: 'out_of_sync',
    says: 'The state of this release at GitHub Pages differs from the one here: somebody else keeps writing to the branch.',
    hint: 'It is checked again automatically.',
  },
  {
    step: 'state',
    status: 502,
    message: 'Server Error',
    code: 'platform_down',
    says: 'GitHub Pages did not respond as expected: Server Error.',
    hint: 'Fairlead tries again automatically. If it lasts, look at the status page of GitHub Pages.',
  },
  {
    step: 'attach',
    status: 400,
    message: 'The custom domain `shop.example.com` is already taken.',
    code: 'domain_taken',
    says: 'Another site at GitHub Pages has this domain: The custom domain `shop.example.com` is already taken.',
    hint: 'If that site is yours, take the domain off it, then try again. If not, ask GitHub Pages to release the domain: you can prove through its DNS that it is yours.',
  },
  {
    step: 'attach',
    status: 400,
    message: 'The custom domain `shop.example.com` is not properly formatted.',
    code: 'platform_failed',
    says: 'GitHub Pages could not do it: The custom domain `shop.example.com` is not properly formatted.',
    hint: 'Check how the domain is spelled, then add it again.',
  },
  {
    step: 'attach',
    status: 451,
    message: 'Repository access blocked',
    code: 'platform_failed',
    says: 'GitHub Pages could not do it: Repository access blocked.',
    hint: 'GitHub has blocked the repository, and says why in an email to its owner. Settle it with GitHub, or publish elsewhere.',
  },
];

test.each(REFUSALS)('$status in $step, $message: $code', async (refusal) => {
  const { step, status, headers, message, errors, code, says, hint } = refusal;
  await using subject = await githubUnderTest();
  await using harness = await platformHarness();
  const { platform, standIn } = subject;
  const body = { message, ...(errors !== undefined && { errors }), documentation_url: 'https://docs.github.com/rest' };
  standIn.fail(step, { how: 'status', status, body, ...(headers !== undefined && { headers }) }, 100);
  const whole = async (): Promise<void> => {
    await published(platform, harness.call, await harness.release(1, { 'index.html': 'one' }));
    await platform.attachDomain?.(harness.call, 'shop.example.com');
  };
  // Its pages for people are where its API is.
  const hintHere = hint.replaceAll('https://github.com', standIn.apiUrl);
  await expect(whole()).rejects.toMatchObject({ code, message: says, hint: hintHere });
  expect(standIn.drift).toEqual([]);
});

test.each([
  ['"archived":false', '"archived":true', 'pat/my-things is archived', 'Unarchive the repository'],
  ['"push":true', '"push":false', 'may not write to pat/my-things', 'Ask its owner for the right'],
])('a chosen repository that takes no files is refused: %s is %s', async (usual, odd, says, remedy) => {
  await using subject = await githubUnderTest({ local: (text) => text.replace(usual, odd) });
  await using harness = await platformHarness();
  initialize(newRepository(subject.standIn.state, OWNER, 'my-things'));
  harness.call.destination.options = { publicFiles: true, repository: 'my-things' };
  const request = await harness.release(1, { 'index.html': 'one' });
  await expect(published(subject.platform, harness.call, request)).rejects.toMatchObject({
    message: expect.stringContaining(says),
    hint: expect.stringContaining(remedy),
  });
});

test('the repository at the root of its owner’s host is made where it is missing, once, and of nobody else’s', async () => {
  await using subject = await githubUnderTest();
  await using harness = await platformHarness();
  const { state } = subject.standIn;
  const { call } = harness;
  const request = await harness.release(1, { 'index.html': '<link href="/a.css">', 'a.css': 'p {}' });
  call.destination.options = { publicFiles: true, repository: 'sam.github.io' };
  await expect(published(subject.platform, call, request)).rejects.toMatchObject({ code: 'permission_missing' });
  call.destination.options = { publicFiles: true, repository: 'pat.github.io' };
  // A run that is killed before it could say what it made.
  await subject.platform.publish({ ...call, signal: call.signal }, request).next();
  const { ref } = await published(subject.platform, call, request);
  expect([...state.repositories.keys()]).toEqual(['pat/pat.github.io']);
  const { url } = await subject.platform.release(call, ref);
  expect(new URL(url ?? '').pathname).toBe('/');
  await subject.platform.remove(call);
  expect(state.repositories.size).toBe(0);
});
