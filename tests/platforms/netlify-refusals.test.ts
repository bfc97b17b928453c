import { OTHER_DOMAIN } from '../../server/publishing/platforms/failures.ts';
import { refusalSuite } from '../support/platform-refusals.ts';
import type { Fault } from '../support/standins/faults.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

/** `said`: its message, or a body of one of the other shapes. */
function said(status: number, what: unknown, headers: Record<string, string> = {}): Fault {
  return { how: 'status', status, headers, body: typeof what === 'string' ? { code: status, message: what } : what };
}

const ODD_NAMES = 'Rename files that have unusual characters in their names, then publish again.';
const TEAMS = 'https://app.netlify.com/teams';
const PAGES = {
  credentials_invalid: 'https://app.netlify.com/user/applications#personal-access-tokens',
  payment_required: TEAMS,
  plan_limit: TEAMS,
};

/** Refusals in each of the four shapes of Netlify’s errors, and of its gateways. */
refusalSuite('Netlify', netlifyUnderTest, PAGES, [
  ['look', said(401, 'Access Denied'), 'credentials_invalid'],
  ['site', said(403, 'Forbidden'), 'permission_missing'],
  ['site', said(422, { errors: { subdomain: ['must be unique'] } }), 'name_taken'],
  ['site', said(422, { errors: { name: ['has already been taken'] } }), 'name_taken'],
  ['site', said(422, 'You have reached the limit of sites of your plan'), 'plan_limit'],
  ['site', said(402, 'Payment Required'), 'payment_required'],
  ['release', said(403, 'This team has used up its credits'), 'plan_limit'],
  ['release', said(403, 'Site was paused as it reached its usage limits'), 'plan_limit'],
  ['release', said(404, 'Not Found'), 'platform_place_gone'],
  ['release', said(422, { errors: "Invalid filename 'a#b.html'" }), 'content_refused'],
  ['release', said(422, { errors: ['Too many files in one directory'] }), 'content_refused'],
  [
    'release',
    said(429, 'Too Many Requests', { 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 3_600) }),
    'rate_limited',
    { waits: true },
  ],
  ['release', { how: 'garbage', status: 502 }, 'platform_down'],
  ['release', said(400, { error: 'invalid_request' }), 'platform_failed', ODD_NAMES],
  ['upload', said(422, { errors: 'The file index.html did not match the digest of the deploy' }), 'out_of_sync'],
  ['upload', said(422, 'Build is already done'), 'out_of_sync'],
  ['upload', said(413, 'Request Entity Too Large'), 'content_refused'],
  ['attach', said(422, { errors: { custom_domain: ['must be unique'] } }), 'domain_taken'],
  ['attach', said(422, { errors: { domain_aliases: ['shop.example.com is already in use'] } }), 'domain_taken'],
  ['attach', said(422, { errors: { custom_domain: ['is not a valid domain'] } }), 'platform_failed', OTHER_DOMAIN],
  ['restore', said(422, 'Deploy is not ready'), 'out_of_sync'],
]);
