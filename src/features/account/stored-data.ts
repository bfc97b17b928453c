/**
 * The time at which rows of a collection are deleted: with the account, by their age, or never, because they say
 * nothing about a person.
 */
export type StoredEnd = 'account' | 'age' | 'nobody';

export type StoredData = {
  /** Names in the database. */
  collections: readonly string[];
  what: string;
  kept: string;
  ends: StoredEnd;
};

/** The cookies of the app, for the privacy page; the same test compares them with the code. */
export const STORED_COOKIES: readonly { names: readonly string[]; what: string; days: number }[] = [
  { names: ['fairlead_refresh'], what: 'keeps you logged in', days: 30 },
  {
    names: ['fairlead_device'],
    what: 'recognises a browser you have logged in with, so that strangers who guess passwords do not slow you down',
    days: 365,
  },
  {
    names: ['fairlead_disclaimer', 'disclaimerSeen'],
    what: 'remember that you have seen and accepted the disclaimer',
    days: 365,
  },
];

/** All stored data, for the privacy page; a test compares it with the database (tests/account-data/stored-data.test.ts). */
export const STORED_DATA: readonly StoredData[] = [
  {
    collections: ['users', 'disclaimer_acceptances'],
    what: 'Username, email address, a hash of your password, your settings, and when you accepted the disclaimer.',
    kept: 'Until you delete your account. A disclaimer accepted without an account: one year.',
    ends: 'account',
  },
  {
    collections: ['sessions', 'api_tokens', 'mailed_tokens'],
    what: 'Logged-in browsers with device and IP address, API tokens and emailed links. Secrets are stored as hashes.',
    kept: 'Until they end or you revoke them, and one day longer.',
    ends: 'account',
  },
  {
    collections: ['connections', 'authorization_requests'],
    what: 'Tokens of your hosting platforms and DNS providers, encrypted.',
    kept: 'Until you remove the connection.',
    ends: 'account',
  },
  {
    collections: ['deployments', 'releases', 'publications', 'roll_backs'],
    what: 'What you publish: names, addresses, releases and their logs.',
    kept: 'Until you delete the deployment.',
    ends: 'account',
  },
  {
    collections: ['artifacts', 'uploads'],
    what: 'The files you upload.',
    kept: 'As long as a release needs them. Unfinished uploads: one day.',
    ends: 'account',
  },
  {
    collections: ['domains', 'dns_changes', 'certificates', 'challenge_records'],
    what: 'Your domains, the DNS changes made for you, and certificates with their keys, which are encrypted.',
    kept: 'Until you remove the domain.',
    ends: 'account',
  },
  {
    collections: ['visits', 'visit_hours', 'visit_days'],
    what: 'Visits to your sites as counts: pages, referrers and status codes. No IP addresses and no cookies.',
    kept: 'As long as your plan keeps analytics, 13 months at most.',
    ends: 'account',
  },
  {
    collections: ['diagnostics', 'deployment_health'],
    what: 'Diagnostics you ran, the regular checks of your sites, and links to reports that you shared.',
    kept: 'The last 50 reports, until you delete your account.',
    ends: 'account',
  },
  {
    collections: ['subscriptions', 'payments', 'payment_customers', 'licenses'],
    what: 'Your plan, what you paid, and the license keys you redeemed. Card numbers never reach Fairlead.',
    kept: 'Until you delete your account. An abandoned checkout: 30 days.',
    ends: 'account',
  },
  {
    collections: ['payment_events'],
    what: 'Which notifications from the payment service were processed.',
    kept: '90 days.',
    ends: 'account',
  },
  {
    collections: ['events', 'idempotency_keys'],
    what: 'Recent events in your account, which update your open tabs, and the requests you made, so that none is carried out twice.',
    kept: '7 days. Answered requests: 24 hours.',
    ends: 'account',
  },
  {
    collections: ['feedback', 'contact_messages'],
    what: 'Ratings and messages you sent, with the name and email address you entered.',
    kept: 'One year, or until you delete your account if that is sooner.',
    ends: 'account',
  },
  {
    collections: ['mails', 'jobs'],
    what: 'Emails sent to you and background work done for you.',
    kept: 'Emails: 7 days. Finished work: 14 days. This also applies to deleted accounts.',
    ends: 'age',
  },
  {
    collections: ['held_slugs'],
    what: 'Earlier addresses of your sites, reserved so that nobody else can take them right away.',
    kept: '30 days. This also applies to deleted accounts.',
    ends: 'age',
  },
  {
    collections: ['used_trials'],
    what: 'A hash of the email address of a deleted account that used the free trial.',
    kept: 'Permanently, because the trial can be used only once.',
    ends: 'nobody',
  },
  {
    collections: ['rate_limits'],
    what: 'How often an account or IP address did something, to stop abuse.',
    kept: 'Until the counting period is over, one day at most.',
    ends: 'age',
  },
  {
    collections: [
      ...['acme_accounts', 'authority_uses', 'challenge_answers', 'local_roots'],
      ...['installation', 'migrations', 'ticket_keys', 'visit_salts', 'zone_leases'],
    ],
    what: 'What Fairlead itself needs to run, such as its account at the certificate authority. Nothing about you.',
    kept: 'As long as it is needed.',
    ends: 'nobody',
  },
];
