import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readEnv } from '../../server/env.ts';
import { newKeys } from '../../server/secrets.ts';
import { siteDomainFault } from '../../server/site-domain.ts';
import { StartError } from '../../server/start/start-error.ts';

function refusalOf(environment: Record<string, string>): { message: string; exitCode: number } {
  try {
    readEnv(environment);
  } catch (error) {
    if (error instanceof StartError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error('The environment was taken.');
}

test('an empty environment gives the documented defaults', () => {
  expect(readEnv({})).toMatchObject({
    port: 3000,
    sitesPort: 3001,
    sitesDomain: 'localhost',
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    supportEmail: 'support@localhost',
    operatorEmail: 'support@localhost',
    smtp: undefined,
    dataDir: resolve('data'),
    processes: 1,
    artifacts: { kind: 'disk', folder: resolve('data/artifacts') },
    mongodbUri: undefined,
    keys: undefined,
    trustProxy: 0,
    accessTokenSeconds: 900,
    logLevel: 'info',
    warnings: [],
  });
  expect(readEnv({}).mongodSources.cacheFolder).toBe(join(homedir(), '.cache', 'fairlead'));
  expect(readEnv({ XDG_CACHE_HOME: '/c' }).mongodSources.cacheFolder).toBe('/c/fairlead');
});

test('PROCESSES is a number, or auto for one a core', () => {
  expect(readEnv({ PROCESSES: '4' }).processes).toBe(4);
  expect(readEnv({ PROCESSES: 'auto' }).processes).toBe(Math.min(availableParallelism(), 64));
  for (const wrong of ['0', '-1', '65', '1.5', 'all']) {
    expect(refusalOf({ PROCESSES: wrong })).toEqual({
      message: `PROCESSES is "${wrong}", but it must be a whole number from 1 to 64, or auto for one a core.`,
      exitCode: 78,
    });
  }
});

test('an empty variable counts as not set', () => {
  expect(readEnv({ PORT: '', PUBLIC_URL: '', SMTP_URL: '' }).port).toBe(3000);
});

test('mail goes by SMTP once a server is named, from the address of the support unless another is', () => {
  const SMTP_URL = 'smtp://user:secret@mail.example.com:587';
  expect(readEnv({ SMTP_URL, SUPPORT_EMAIL: 'help@example.com' }).smtp).toEqual({
    url: SMTP_URL,
    from: 'Fairlead <help@example.com>',
  });
  expect(readEnv({ SMTP_URL, MAIL_FROM: 'Ada <ada@example.com>' }).smtp?.from).toBe('Ada <ada@example.com>');
  expect(readEnv({ SUPPORT_EMAIL: 'help@example.com' }).operatorEmail).toBe('help@example.com');
  expect(readEnv({ OPERATOR_EMAIL: 'ops@example.com' }).operatorEmail).toBe('ops@example.com');
});

test('the app listens on all addresses once it is reached by another name than localhost', () => {
  expect(readEnv({ PUBLIC_URL: 'https://app.example.com', SITES_DOMAIN: 'sites.example.net' }).host).toBeUndefined();
  expect(
    readEnv({ PUBLIC_URL: 'https://app.example.com', SITES_DOMAIN: 'sites.example.net', HOST: '10.0.0.1' }).host,
  ).toBe('10.0.0.1');
  expect(readEnv({ PUBLIC_URL: 'http://127.0.0.1:3000' }).host).toBe('127.0.0.1');
});

test.each([
  [{ PORT: 'http' }, 'PORT is "http", but it must be a port number from 1 to 65535.'],
  [{ PORT: '0' }, 'PORT is "0", but it must be a port number from 1 to 65535.'],
  [{ SITES_PORT: '70000' }, 'SITES_PORT is "70000", but it must be a port number from 1 to 65535.'],
  [{ PORT: '3001' }, 'PORT is "3001", but PORT and SITES_PORT must differ.'],
  [
    { PUBLIC_URL: 'app.example.com' },
    'PUBLIC_URL is "app.example.com", but it must be http:// or https:// with a host and nothing after it, like https://app.example.com.',
  ],
  [
    { PUBLIC_URL: 'https://app.example.com/fairlead' },
    'PUBLIC_URL is "https://app.example.com/fairlead", but it must be http:// or https:// with a host and nothing after it, like https://app.example.com.',
  ],
  [
    { SITES_DOMAIN: 'Sites.Example' },
    'SITES_DOMAIN is "Sites.Example", but it must be a host name in lower case like sites.example.com.',
  ],
  [{ TRUST_PROXY: 'yes' }, 'TRUST_PROXY is "yes", but it must be a whole number from 0 to 10.'],
  [{ ACCESS_TOKEN_SECONDS: '0' }, 'ACCESS_TOKEN_SECONDS is "0", but it must be a whole number from 1 to 86400.'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud", but it must be one of debug, info, warn, error.'],
  [{ SUPPORT_EMAIL: 'nobody' }, 'SUPPORT_EMAIL is "nobody", but it must be an e-mail address like ops@example.com.'],
  [
    { OPERATOR_EMAIL: 'a b@example.com' },
    'OPERATOR_EMAIL is "a b@example.com", but it must be an e-mail address like ops@example.com.',
  ],
  [
    { SMTP_URL: 'mail.example.com' },
    'SMTP_URL is set to a value that is not shown, but it must be smtp:// or smtps:// with a host, like smtp://mail.example.com:587.',
  ],
  [
    { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Fairlead' },
    'MAIL_FROM is "Fairlead", but it must be an address like fairlead@example.com or Fairlead <fairlead@example.com>.',
  ],
  [
    { MAIL_FROM: 'fairlead@example.com' },
    'MAIL_FROM is "fairlead@example.com", but mail stays in the outbox without SMTP_URL; set that too, or leave both.',
  ],
  [
    { HOST: 'not an address' },
    'HOST is "not an address", but it must be an address of this machine like 127.0.0.1 or 0.0.0.0.',
  ],
  [
    { ARTIFACTS_URL: 's3://bucket/prefix' },
    'ARTIFACTS_URL is "s3://bucket/prefix", but it must be file: with an absolute path, like file:///var/lib/fairlead/artifacts, or gridfs: for the database; this version has no other store.',
  ],
  [
    { ARTIFACTS_URL: 'file:relative' },
    'ARTIFACTS_URL is "file:relative", but it must be file: with an absolute path, like file:///var/lib/fairlead/artifacts, or gridfs: for the database; this version has no other store.',
  ],
])('%o is refused with one sentence', (environment, sentence) => {
  expect(refusalOf(environment)).toEqual({ message: sentence, exitCode: 78 });
});

test.each([
  'SITES_TLS_PORT',
  'ACME_DIRECTORY_URL',
  'ACME_EMAIL',
  'ACME_EAB_KID',
  'ACME_EAB_HMAC',
  'ACME_CA_FILE',
  'DNS_RESOLVERS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_API_URL',
  'NETLIFY_API_URL',
  'VERCEL_API_URL',
  'GITHUB_API_URL',
  'RENDER_API_URL',
  'HEROKU_API_URL',
  'EGRESS_ALLOW',
])('%s, whose part is not there yet, is refused instead of ignored', (name) => {
  const { message, exitCode } = refusalOf({ [name]: 'anything' });
  expect(message).toMatch(new RegExp(`^${name} is .+, but this version of Fairlead has no .+ yet; leave it unset\\.$`));
  expect(exitCode).toBe(78);
});

test('a value that is a secret is not repeated', () => {
  expect(refusalOf({ MONGODB_URI: 'mysql://root:hunter2@db' }).message).toBe(
    'MONGODB_URI is set to a value that is not shown, but it must begin with mongodb:// or mongodb+srv:// and name a host.',
  );
  expect(refusalOf({ FAIRLEAD_KEYS: '{"current":"hunter2"}' }).message).toBe(
    'FAIRLEAD_KEYS is set to a value that is not shown, but it must be the JSON of a keys.json.',
  );
  expect(refusalOf({ STRIPE_SECRET_KEY: 'sk_live_hunter2' }).message).not.toContain('hunter2');
});

test('keys and an absolute folder for artifacts are taken', () => {
  const keys = newKeys();
  expect(readEnv({ FAIRLEAD_KEYS: JSON.stringify(keys), ARTIFACTS_URL: 'file:///srv/a%20b' })).toMatchObject({
    keys,
    artifacts: { kind: 'disk', folder: '/srv/a b' },
  });
});

test.each([
  ['localhost', 'localhost', null],
  ['localhost', 'app.example.com', null],
  ['localhost', '127.0.0.1', null],
  ['sites.example.net', 'app.example.com', null],
  ['netlify.app', 'app.example.com', null],
  ['localhost', 'app.localhost', /below the domain of the sites/],
  ['example.com', 'app.example.com', /below the domain of the sites/],
  ['sites.example.com', 'sites.example.com', /below the domain of the sites/],
  ['sites.example.com', 'app.example.com', /share the domain example\.com/],
  ['sites.example.com', 'example.com', /share the domain example\.com/],
  ['sites.fairlead.test', 'app.fairlead.test', /share the domain fairlead\.test/],
  ['sites', 'app.example.com', /a domain with a dot/],
])('sites on %s beside an app on %s', (sitesDomain, publicHost, expected) => {
  const fault = siteDomainFault(sitesDomain, publicHost);
  if (expected === null) expect(fault).toBeNull();
  else expect(fault).toMatch(expected);
});

test('a domain of the public suffix list is apart from the app below the same name', () => {
  expect(siteDomainFault('github.io', 'app.github.io')).toMatch(/below/);
  expect(siteDomainFault('pages.dev', 'dash.example.dev')).toBeNull();
});

test('what works but is perhaps not meant is a warning', () => {
  const { warnings } = readEnv({ PUBLIC_URL: 'http://app.example.com' });
  expect(warnings).toEqual([
    expect.stringMatching(/^SITES_DOMAIN is localhost while PUBLIC_URL is /),
    expect.stringMatching(/unencrypted/),
  ]);
});
