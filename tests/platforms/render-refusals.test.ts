import { OTHER_DOMAIN, OTHER_NAME } from '../../server/publishing/platforms/failures.ts';
import { refusalSuite } from '../support/platform-refusals.ts';
import type { Fault } from '../support/standins/faults.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';

function said(status: number, message: string, headers: Record<string, string> = {}): Fault {
  return { how: 'status', status, headers, body: { id: 'req-1', message } };
}

const BILLING = 'https://dashboard.render.com/billing';
const PAGES = {
  credentials_invalid: 'https://dashboard.render.com/settings#api-keys',
  payment_required: BILLING,
  plan_limit: BILLING,
  quota_exhausted: BILLING,
};

/** The commonest refusals: Render's description of its API, its documentation, and reports of its users. */
refusalSuite('Render', renderUnderTest, PAGES, [
  ['account', said(401, 'unauthorized'), 'credentials_invalid'],
  ['finish', said(402, 'Payment information is required to complete this request.'), 'payment_required'],
  ['finish', said(400, 'You must add a card to this workspace.'), 'payment_required'],
  ['finish', said(403, 'You do not have permission to perform this action.'), 'permission_missing'],
  ['finish', said(400, 'invalid repository'), 'platform_failed', 'only if it is public at GitHub'],
  ['finish', said(409, 'name already in use'), 'name_taken'],
  ['finish', said(400, 'name must be between 1 and 63 characters'), 'platform_failed', OTHER_NAME],
  ['finish', said(403, 'upgrade your plan'), 'plan_limit'],
  ['finish', said(400, 'service limit reached for this workspace'), 'plan_limit'],
  ['finish', said(400, 'You have used all build minutes of this month.'), 'quota_exhausted'],
  [
    'finish',
    said(400, 'service is suspended'),
    'platform_failed',
    'Resume the service at https://dashboard.render.com first.',
  ],
  ['state', said(404, 'not found'), 'platform_place_gone'],
  ['state', said(410, 'gone'), 'platform_place_gone'],
  ['state', said(429, 'rate limit exceeded', { 'ratelimit-reset': '3600' }), 'rate_limited', { waits: true }],
  ['state', said(503, 'unavailable'), 'platform_down'],
  ['state', { how: 'garbage', status: 502 }, 'platform_down'],
  [
    'finish',
    { how: 'states', states: ['build_in_progress', 'error'] },
    'platform_failed',
    { says: 'Render could not complete the request: build failed.', remedy: 'the log of this release' },
  ],
  ['attach', said(409, 'domain shop.example.com is already in use'), 'domain_taken'],
  ['attach', said(400, 'You have reached the custom domain limit of your plan.'), 'plan_limit'],
  ['attach', said(400, 'invalid domain name'), 'platform_failed', OTHER_DOMAIN],
]);
