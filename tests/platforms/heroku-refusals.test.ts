import { OTHER_NAME, PUBLISH_ANEW, UPDATE_FAIRLEAD } from '../../server/publishing/platforms/failures.ts';
import { refusalSuite } from '../support/platform-refusals.ts';
import type { Fault } from '../support/standins/faults.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';

function said(status: number, id: string, message: string, headers: Record<string, string> = {}): Fault {
  return { how: 'status', status, headers, body: { id, message } };
}

const BILLING = 'https://dashboard.heroku.com/account/billing';
const PAGES = {
  credentials_invalid: 'https://dashboard.heroku.com/account/applications',
  payment_required: BILLING,
  plan_limit: BILLING,
};

/** The commonest refusals: Heroku Dev Center, "Platform API Reference" and "Limits", and reports of its users. */
refusalSuite('Heroku', herokuUnderTest, PAGES, [
  ['look', said(401, 'unauthorized', 'Invalid credentials provided.'), 'credentials_invalid'],
  [
    'site',
    said(403, 'forbidden', 'The scope of this OAuth authorization does not allow access to this resource.'),
    'permission_missing',
  ],
  ['site', said(422, 'verification_needed', 'Please verify your account to create an app.'), 'payment_required'],
  ['finish', said(402, 'delinquent', 'Your account is delinquent.'), 'payment_required'],
  ['release', said(403, 'suspended', 'Your account has been suspended.'), 'payment_required'],
  [
    'certificate',
    said(422, 'invalid_params', 'Cannot use Eco dynos: subscribe to the Eco Dynos Plan first.'),
    'payment_required',
  ],
  ['site', said(422, 'invalid_params', 'You have reached the limit of 100 apps.'), 'plan_limit'],
  ['site', said(422, 'invalid_params', 'Name must start with a letter.'), 'platform_failed', OTHER_NAME],
  ['finish', said(404, 'not_found', 'Couldn’t find that app.'), 'platform_place_gone'],
  ['finish', said(422, 'invalid_params', 'Maximum number of concurrent builds reached.'), 'rate_limited'],
  ['finish', said(422, 'invalid_params', 'The checksum of the source blob does not match.'), 'out_of_sync'],
  ['upload', { how: 'status', status: 403, body: '<Error><Code>SignatureDoesNotMatch</Code></Error>' }, 'out_of_sync'],
  ['upload', { how: 'status', status: 413, body: '<Error><Code>EntityTooLarge</Code></Error>' }, 'content_refused'],
  [
    'state',
    said(429, 'rate_limit', 'Your account reached the API limit.', { 'retry-after': '3600' }),
    'rate_limited',
    { waits: true },
  ],
  [
    'release',
    said(406, 'not_acceptable', 'Require an Accept header for a supported version.'),
    'platform_failed',
    UPDATE_FAIRLEAD,
  ],
  ['state', { how: 'garbage', status: 503 }, 'platform_down'],
  [
    'finish',
    { how: 'states', states: ['pending', 'error'] },
    'platform_failed',
    { says: 'Node.js app detected', remedy: 'the log of this release' },
  ],
  [
    'attach',
    said(422, 'invalid_params', 'The hostname example.com is currently in use by another app.'),
    'domain_taken',
  ],
  ['attach', said(409, 'conflict', 'The hostname example.com is already in use by another app.'), 'domain_taken'],
  [
    'certificate',
    said(422, 'invalid_params', 'Upgrade your dynos to use Automated Certificate Management.'),
    'plan_limit',
    { act: 'attach' },
  ],
  ['restore', said(422, 'invalid_params', 'Cannot roll back to this release.'), 'platform_failed', PUBLISH_ANEW],
]);
