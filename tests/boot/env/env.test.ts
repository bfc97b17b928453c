import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readEnv } from '../../../server/boot/env/env.ts';
import { newKeys } from '../../../server/lib/crypto/secrets.ts';
import { siteDomainFault } from '../../../server/lib/site-domain.ts';
import { certifiedUrlHere, siteUrl } from '../../../server/lib/site-names.ts';
import { StartError } from '../../../server/lib/start-error.ts';

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
    sitesUrl: 'http://{slug}.localhost:3001',
    sitesAddresses: ['127.0.0.1', '::1'],
    sitesTls: undefined,
    tlsPort: 3443,
    isTlsPortGiven: false,
    acme: undefined,
    domainConnect: undefined,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    supportEmail: 'support@localhost',
    operatorEmail: 'support@localhost',
    smtp: undefined,
    dataDir: resolve('data'),
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

test('PROCESSES of a version before is not read, and the operator is told so', () => {
  expect(readEnv({ PROCESSES: '4' }).warnings).toEqual([expect.stringContaining('PROCESSES is no longer read')]);
});

test.each([
  [{ SITES_PORT: '80' }, 'http://{slug}.localhost'],
  [{ SITES_URL: 'https://{slug}.localhost' }, 'https://{slug}.localhost'],
  [{ SITES_URL: 'https://{slug}.localhost:443/' }, 'https://{slug}.localhost'],
  [{ SITES_URL: 'https://{slug}.localhost:80' }, 'https://{slug}.localhost:80'],
  [
    { SITES_DOMAIN: 'sites.example.net', SITES_URL: 'http://{slug}.sites.example.net:8080' },
    'http://{slug}.sites.example.net:8080',
  ],
])('%j shows sites at %s', (environment, sitesUrl) => {
  expect(readEnv(environment).sitesUrl).toBe(sitesUrl);
});

const ACME = { ACME_DIRECTORY_URL: 'https://localhost:14000/dir' };
const PAIR = { SITES_CERT_FILE: '/tls/cert.pem', SITES_KEY_FILE: '/tls/key.pem' };

test('with a certificate sites are shown with https, at the port of TLS or where SITES_URL says', () => {
  const files = { certFile: '/tls/cert.pem', keyFile: '/tls/key.pem' };
  expect(readEnv(PAIR)).toMatchObject({
    sitesUrl: 'https://{slug}.localhost:3443',
    sitesTls: { ...files, port: 3443, url: 'https://{slug}.localhost:3443' },
    warnings: [],
  });
  expect(readEnv({ ...PAIR, SITES_TLS_PORT: '443' }).sitesUrl).toBe('https://{slug}.localhost');
  const mapped = { ...PAIR, SITES_TLS_PORT: '8443', SITES_URL: 'https://{slug}.localhost' };
  expect(readEnv(mapped).sitesTls).toEqual({ ...files, port: 8443, url: 'https://{slug}.localhost' });
  const inClear = readEnv({ ...PAIR, SITES_URL: 'http://{slug}.localhost:3001' });
  expect(inClear.sitesTls?.url).toBe('https://{slug}.localhost:3443');
  expect(inClear.warnings).toEqual([expect.stringMatching(/^SITES_URL is http:.* redirected to https/)]);
});

/**
 * The ports to which visitors on plain http are redirected: those of a site with a certificate, and those of a domain
 * with one.
 */
test.each([
  [{}, null, ':3443'],
  [{ SITES_PORT: '8080', SITES_TLS_PORT: '8443' }, null, ':8443'],
  [{ SITES_PORT: '80', SITES_TLS_PORT: '443' }, null, ''],
  [{ SITES_PORT: '8080', SITES_TLS_PORT: '8443', SITES_URL: 'http://{slug}.localhost:8080' }, null, ':8443'],
  // A router has 80 and 443.
  [{ SITES_PORT: '8081', SITES_TLS_PORT: '8443', SITES_URL: 'https://{slug}.localhost' }, null, ''],
  [{ SITES_PORT: '8081', SITES_TLS_PORT: '8443', SITES_URL: 'https://{slug}.localhost:444' }, null, ':444'],
  [{ ...PAIR, SITES_PORT: '8080', SITES_TLS_PORT: '8443' }, ':8443', ':8443'],
  [{ ...PAIR, SITES_TLS_PORT: '8443', SITES_URL: 'https://{slug}.localhost' }, '', ''],
  [{ ...PAIR, SITES_TLS_PORT: '8443', SITES_URL: 'https://{slug}.localhost:444' }, ':444', ':444'],
  [{ ...PAIR, SITES_TLS_PORT: '8443', SITES_URL: 'http://{slug}.localhost:8080' }, ':8443', ':8443'],
])('%j: visitors in the clear are led to port %j of a site and %j of a domain', (environment, ofSite, ofDomain) => {
  const { sitesUrl, sitesTls, tlsPort = 0 } = readEnv(environment);
  expect(sitesTls === undefined ? null : siteUrl({ sitesUrl: sitesTls.url }, 'a.localhost')).toBe(
    ofSite === null ? null : `https://a.localhost${ofSite}`,
  );
  expect(certifiedUrlHere({ sitesUrl, tlsPort }, 'kai.example')).toBe(`https://kai.example${ofDomain}`);
});

test.each([
  [{ SITES_CERT_FILE: 'a' }, 'SITES_CERT_FILE is "a", but it needs SITES_KEY_FILE as well.'],
  [{ SITES_KEY_FILE: 'a' }, 'SITES_KEY_FILE is "a", but it needs SITES_CERT_FILE as well.'],
  [{ ...PAIR, SITES_TLS_PORT: '3001' }, 'SITES_TLS_PORT is "3001", but SITES_PORT and SITES_TLS_PORT must differ.'],
  [{ ...PAIR, PORT: '3443' }, 'PORT is "3443", but PORT and SITES_TLS_PORT must differ.'],
  [{ SITES_TLS_PORT: '3001' }, 'SITES_TLS_PORT is "3001", but SITES_PORT and SITES_TLS_PORT must differ.'],
  [{ ACME_EMAIL: 'a@b.example' }, 'ACME_EMAIL is "a@b.example", but it needs ACME_DIRECTORY_URL as well.'],
  [
    { ...ACME, ACME_STAGING_DIRECTORY_URL: ACME.ACME_DIRECTORY_URL },
    'ACME_STAGING_DIRECTORY_URL is "https://localhost:14000/dir", but it must differ from ACME_DIRECTORY_URL.',
  ],
  [{ ...ACME, ACME_EAB_KID: 'kid' }, 'ACME_EAB_KID is "kid", but it needs ACME_EAB_HMAC as well.'],
  [
    { ...ACME, ACME_EAB_HMAC: 'c2VjcmV0IGtleSBvZiBlYWI' },
    'ACME_EAB_HMAC is set to a value that is not shown, but it needs ACME_EAB_KID as well.',
  ],
  [
    { ...ACME, ACME_CA_FILE: '/nowhere/ca.pem' },
    'ACME_CA_FILE is "/nowhere/ca.pem", but it cannot be read as a certificate; name a file in PEM.',
  ],
  [{ SITES_PORT: '3000' }, 'SITES_PORT is "3000", but PORT and SITES_PORT must differ.'],
])('%j is refused: values that do not fit together', (environment, message) => {
  expect(refusalOf(environment)).toEqual({ message, exitCode: 78 });
});

test('the usual TLS port gives way to a part that was put there', () => {
  expect([readEnv({ PORT: '3443' }).tlsPort, readEnv({ SITES_TLS_PORT: '8443' }).tlsPort]).toEqual([undefined, 8443]);
});

test('links to DNS providers are signed with a key of the operator’s, or not offered', () => {
  const keyFile = join(tmpdir(), `fairlead-${process.pid}-domain-connect.pem`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  try {
    const given = { DOMAIN_CONNECT_PROVIDER_ID: 'fairlead.example', DOMAIN_CONNECT_KEY_HOST: '_dck1' };
    const { key: _key, ...found } = readEnv({ ...given, DOMAIN_CONNECT_KEY_FILE: keyFile }).domainConnect ?? {};
    expect(found).toEqual({ providerId: 'fairlead.example', serviceId: 'site', keyHost: '_dck1' });
    expect(refusalOf(given).message).toContain('it needs DOMAIN_CONNECT_KEY_FILE as well');
    const missing = { ...given, DOMAIN_CONNECT_KEY_FILE: `${keyFile}.none` };
    expect(refusalOf(missing).message).toContain('it cannot be read as an RSA private key');
  } finally {
    rmSync(keyFile, { force: true });
  }
});

test('an authority is named by its directory, and may be on this machine where that says so', () => {
  const eab = { ACME_EAB_KID: 'kid', ACME_EAB_HMAC: 'c2VjcmV0IGtleSBvZiBlYWI' };
  expect(readEnv({ ...ACME, ...eab, ACME_EMAIL: 'ops@example.com' }).acme).toMatchObject({
    directoryUrl: ACME.ACME_DIRECTORY_URL,
    email: 'ops@example.com',
    eab: { kid: 'kid', hmacKey: eab.ACME_EAB_HMAC },
    allow: [expect.anything(), expect.anything()],
  });
  expect(readEnv({ ACME_DIRECTORY_URL: 'https://ca.example.com/dir' }).acme?.allow).toEqual([]);
  const staging = { ACME_STAGING_DIRECTORY_URL: 'https://localhost:14001/dir' };
  expect(readEnv({ ACME_DIRECTORY_URL: 'https://ca.example.com/dir', ...staging }).acme).toMatchObject({
    ...{ stagingUrl: staging.ACME_STAGING_DIRECTORY_URL, allow: [expect.anything(), expect.anything()] },
  });
  expect(refusalOf({ ACME_DIRECTORY_URL: 'http://ca.example.com' }).message).toMatch(/^ACME_DIRECTORY_URL is .*https:/);
});

test.each([
  ['without padding', '_-8AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo'],
  ['with padding', '_-8AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo='],
  ['in the older alphabet', '/+8AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo='],
  ['over two lines', ' _-8AAgQGCAoMDhASFBYY\n GhweICIkJigqLC4wMjQ2ODo\n'],
])('the key of an external account is read %s', (_, key) => {
  const eab = { kid: 'kid', hmacKey: '_-8AAgQGCAoMDhASFBYYGhweICIkJigqLC4wMjQ2ODo' };
  expect(readEnv({ ...ACME, ACME_EAB_KID: ' kid ', ACME_EAB_HMAC: key }).acme?.eab).toEqual(eab);
  const long = Buffer.alloc(64, 251);
  const given = { ...ACME, ACME_EAB_KID: 'kid', ACME_EAB_HMAC: long.toString('base64') };
  expect(readEnv(given).acme?.eab?.hmacKey).toBe(long.toString('base64url'));
});

test.each(['abc', 'not a key at all!', '===='])('%j is no key of an external account, and is not shown', (key) => {
  const { message } = refusalOf({ ...ACME, ACME_EAB_KID: 'kid', ACME_EAB_HMAC: key });
  expect(message).toMatch(/^ACME_EAB_HMAC is set to a value that is not shown/);
});

test.each([
  'https://sites.example.net',
  'https://{slug}.localhost/path',
  'https://{slug}.localhost?x',
  'https://localhost/{slug}',
  'ftp://{slug}.localhost',
  '{slug}.localhost',
])('SITES_URL=%s is refused with what would be right', (SITES_URL) => {
  expect(refusalOf({ SITES_URL })).toEqual({
    message: `SITES_URL is "${SITES_URL}", but it must be http:// or https:// with {slug} in its host and nothing after it, like https://{slug}.sites.example.com.`,
    exitCode: 78,
  });
});

test.each([
  'https://{slug}.example.net',
  'https://x-{slug}.localhost',
  'https://{slug}.x.localhost',
  'https://{slug}.{slug}.localhost',
])('SITES_URL=%s, where no site answers, is refused', (SITES_URL) => {
  expect(refusalOf({ SITES_URL }).message).toBe(
    `SITES_URL is "${SITES_URL}", but sites answer at {slug}.localhost; use that host here, or change SITES_DOMAIN.`,
  );
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
  for (const PUBLIC_URL of ['http://127.0.0.1:3000', 'http://[::1]:3000'])
    expect(readEnv({ PUBLIC_URL }).host).toBe('127.0.0.1');
  expect(
    readEnv({ PUBLIC_URL: 'https://127.0.0.1.example.com', SITES_DOMAIN: 'sites.example.net' }).host,
  ).toBeUndefined();
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
  [{ SUPPORT_EMAIL: 'nobody' }, 'SUPPORT_EMAIL is "nobody", but it must be an email address like ops@example.com.'],
  [
    { OPERATOR_EMAIL: 'a b@example.com' },
    'OPERATOR_EMAIL is "a b@example.com", but it must be an email address like ops@example.com.',
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
    'MAIL_FROM is "fairlead@example.com", but email stays in the outbox without SMTP_URL; set that too, or unset MAIL_FROM.',
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

const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' };

test('Stripe is set up by two variables, and by none of them there is the test checkout', () => {
  const { stripe } = readEnv(STRIPE);
  expect(stripe).toEqual({
    secretKey: 'sk_test_12345678',
    webhookSecret: 'whsec_12345678',
    apiUrl: 'https://api.stripe.com',
  });
  expect(readEnv({ ...STRIPE, STRIPE_API_URL: 'http://127.0.0.1:9' }).stripe?.apiUrl).toBe('http://127.0.0.1:9');
  expect(readEnv({}).stripe).toBeUndefined();
});

test.each([
  [{ STRIPE_SECRET_KEY: STRIPE.STRIPE_SECRET_KEY }, 'STRIPE_WEBHOOK_SECRET'],
  [{ STRIPE_WEBHOOK_SECRET: STRIPE.STRIPE_WEBHOOK_SECRET }, 'STRIPE_SECRET_KEY'],
  [{ STRIPE_API_URL: 'http://127.0.0.1:9' }, 'STRIPE_API_URL'],
  [{ ...STRIPE, STRIPE_SECRET_KEY: 'pk_test_12345678' }, 'STRIPE_SECRET_KEY'],
  [{ ...STRIPE, STRIPE_WEBHOOK_SECRET: 'we_12345678' }, 'STRIPE_WEBHOOK_SECRET'],
  [{ ...STRIPE, STRIPE_API_URL: 'http://127.0.0.1:9/v1' }, 'STRIPE_API_URL'],
])('%o sets no payments up', (environment, name) => {
  const { message, exitCode } = refusalOf(environment);
  expect(message.startsWith(`${name} is `), message).toBe(true);
  expect(message).not.toContain('12345678');
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

test('each platform is asked at its own API, and at another base where one is named, without its last slash', () => {
  const base = 'http://127.0.0.1:4000/api/v3/';
  expect(readEnv({}).platformUrls).toEqual({
    netlify: 'https://api.netlify.com/api/v1',
    vercel: 'https://api.vercel.com',
    'github-pages': 'https://api.github.com',
    render: 'https://api.render.com/v1',
    heroku: 'https://api.heroku.com',
  });
  expect(readEnv({ GITHUB_API_URL: base }).platformUrls['github-pages']).toBe('http://127.0.0.1:4000/api/v3');
});

test.each([
  ['GITHUB_API_URL', 'ftp://example.com'],
  ['NETLIFY_API_URL', 'api.netlify.com'],
  ['VERCEL_API_URL', 'https://api.example.com/?team=1'],
  ['EGRESS_ALLOW', 'localhost'],
  ['EGRESS_ALLOW', '10.0.0.0/33'],
  ['DNS_RESOLVERS', 'dns.example.com'],
  ['DNS_RESOLVERS', '192.0.2.1:0'],
  ['DNS_RESOLVERS', '[192.0.2.1]:53'],
  ['DNS_RESOLVERS', '192.0.2.1,,192.0.2.2'],
  ['DNS_RESOLVERS', '::1,::2,::3,::4,::5'],
  ['DNS_AUTHORITY_PORT', '0'],
])('%s=%s is refused with what would be right', (name, value) => {
  expect(() => readEnv({ [name]: value })).toThrow(`${name} is "${value}", but it must be`);
});

test('ranges that may be reached are said at every start, and this machine is none of them in production', () => {
  const given = readEnv({ EGRESS_ALLOW: '10.0.0.0/8, ::1' });
  expect(given.egressAllow).toHaveLength(2);
  expect(given.warnings.join()).toContain('10.0.0.0/8, ::1');
  const outside = { PUBLIC_URL: 'https://app.example.com', SITES_DOMAIN: 'sites.example.net' };
  for (const range of ['127.0.0.0/8', '::1/128', '0.0.0.0/0']) {
    expect(() => readEnv({ ...outside, EGRESS_ALLOW: range }), range).toThrow('PUBLIC_URL is on localhost');
  }
  expect(readEnv({ ...outside, EGRESS_ALLOW: '10.0.0.0/8' }).egressAllow).toHaveLength(1);
});

test('resolvers are addresses, with a port where it is not the usual one', () => {
  expect(readEnv({})).toMatchObject({ dnsResolvers: undefined, dnsAuthorityPort: 53 });
  const { dnsResolvers } = readEnv({ DNS_RESOLVERS: '192.0.2.1, 192.0.2.2:5310,2001:db8::1,[2001:db8::2]:5310' });
  expect(dnsResolvers).toEqual([
    { address: '192.0.2.1', port: 53 },
    { address: '192.0.2.2', port: 5310 },
    { address: '2001:db8::1', port: 53 },
    { address: '2001:db8::2', port: 5310 },
  ]);
});
