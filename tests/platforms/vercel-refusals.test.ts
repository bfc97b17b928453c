import { OTHER_NAME, PUBLISH_ANEW } from '../../server/publishing/platforms/failures.ts';
import { refusalSuite } from '../support/platform-refusals.ts';
import type { Fault } from '../support/standins/faults.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

function said(status: number, code: string, message: string, more: object = {}, headers = {}): Fault {
  return { how: 'status', status, headers, body: { error: { code, message, ...more } } };
}

const PAGES = {
  credentials_invalid: 'https://vercel.com/account/tokens',
  payment_required: 'https://vercel.com/account/billing',
  plan_limit: 'https://vercel.com/pricing',
};

/** The commonest refusals: vercel.com/docs/rest-api/errors, the API's description, and reports of its users. */
refusalSuite('Vercel', vercelUnderTest, PAGES, [
  ['look', said(401, 'unauthorized', 'Not authorized'), 'credentials_invalid'],
  ['look', said(403, 'forbidden', 'Not authorized', { invalidToken: true }), 'credentials_invalid'],
  [
    'site',
    said(403, 'forbidden', 'Not authorized: Trying to access resource under scope "acme".'),
    'permission_missing',
  ],
  [
    'site',
    said(403, 'forbidden', 'To access this resource you must log in with SAML.', { saml: true }),
    'permission_missing',
    'Log in to the team with single sign-on at Vercel',
  ],
  ['release', said(402, 'account_blocked', 'The account was soft-blocked.'), 'payment_required'],
  [
    'site',
    said(402, 'missing_payment', 'The account is missing a payment so payment method must be updated.'),
    'payment_required',
  ],
  ['site', said(428, 'precondition_required', 'Owner does not have protection add-on'), 'plan_limit'],
  ['site', said(400, 'bad_request', 'The name contains invalid characters.'), 'platform_failed', OTHER_NAME],
  ['release', said(404, 'not_found', 'Project not found.'), 'platform_place_gone'],
  ['release', said(409, 'conflict', 'The deployment project is being transferred'), 'out_of_sync'],
  [
    'upload',
    said(429, 'rate_limited', 'Too many requests - try again in 24 hours (more than 5000, code: "api-upload-free").'),
    'quota_exhausted',
  ],
  [
    'release',
    said(402, 'api-deployments-free-per-day', 'Resource is limited - try again in 24 hours (more than 100).'),
    'quota_exhausted',
  ],
  [
    'state',
    said(429, 'rate_limited', 'The rate limit of 100 exceeded.', {}, { 'retry-after': '3600' }),
    'rate_limited',
    { waits: true },
  ],
  [
    'state',
    said(429, 'rate_limited', 'The rate limit of 6 exceeded. Try again in 7 days', {
      limit: { resetMs: 4_102_444_800_000 },
    }),
    'rate_limited',
    { waits: true },
  ],
  ['upload', said(413, 'size_limit_exceeded', 'File size limit exceeded (100 MB)'), 'content_refused'],
  ['release', said(400, 'size_limit_exceeded', 'The total size of the files exceeds 100 MB.'), 'content_refused'],
  [
    'release',
    said(400, 'bad_request', 'Invalid request: `files` should NOT have more than 15000 items, received 17159.'),
    'content_refused',
  ],
  [
    'upload',
    said(400, 'bad_request', 'Digest is not valid'),
    'platform_failed',
    'A file was damaged on its way. Try again',
  ],
  [
    'release',
    { how: 'states', states: ['error', 'error'] },
    'platform_failed',
    { says: 'The build failed', remedy: 'Fix what is named here or in the log of this release' },
  ],
  [
    'release',
    { how: 'states', states: ['canceled', 'canceled'] },
    'platform_failed',
    { says: 'it was cancelled there', remedy: 'Find out who cancelled it at Vercel' },
  ],
  ['state', { how: 'garbage', status: 502 }, 'platform_down'],
  [
    'attach',
    said(409, 'domain_already_in_use', "Cannot add example.com since it's already in use by another project."),
    'domain_taken',
  ],
  ['attach', said(403, 'forbidden', "You don't have access to the domain you are adding."), 'domain_taken'],
  [
    'attach',
    said(400, 'bad_request', 'The latest production deployment for the project was not successful.'),
    'platform_failed',
    'First publish a release on Vercel and wait until it is live',
  ],
  ['restore', said(410, 'deployment_deleted', 'The deployment was deleted.'), 'platform_failed', PUBLISH_ANEW],
]);
