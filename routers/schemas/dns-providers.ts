import * as z from 'zod/mini';
import { credentialSchema, MAX_CREDENTIAL } from './primitives.ts';

/** Providers to which Fairlead can write records, in the order of the list. */
export const DNS_PROVIDER_IDS = ['cloudflare', 'route53', 'digitalocean', 'hetzner', 'powerdns', 'rfc2136'] as const;

export type DnsProviderId = (typeof DNS_PROVIDER_IDS)[number];

export const dnsProviderIdSchema = z.enum(DNS_PROVIDER_IDS);

export function isDnsProvider(id: string): id is DnsProviderId {
  return dnsProviderIdSchema.safeParse(id).success;
}

/** The algorithms of RFC 8945, section 6, without those that it forbids (MD5 among them). */
export const TSIG_ALGORITHMS = ['hmac-sha256', 'hmac-sha512', 'hmac-sha384', 'hmac-sha224', 'hmac-sha1'] as const;

export type TsigAlgorithm = (typeof TSIG_ALGORITHMS)[number];

/** RFC 1035, section 2.3.4. */
const NAME_MAX = 253;
const LABEL = /^[a-z0-9_-]{1,63}$/;

/** A name in comparable form: lower case, without the dot at its end. */
const dnsNameSchema = (message: string) =>
  z.string().check(
    z.maxLength(NAME_MAX + 1, message),
    z.overwrite((text) => text.trim().toLowerCase().replace(/\.$/, '')),
    z.refine((text) => text.length <= NAME_MAX && text.split('.').every((label) => LABEL.test(label)), message),
  );

/** Refuses text that cannot be a host; only connecting shows whether it is the right one. */
const serverSchema = z.string().check(
  z.maxLength(NAME_MAX, 'This is too long to be a name server'),
  z.overwrite((text) => text.trim().toLowerCase().replace(/\.$/, '')),
  z.regex(/^[0-9a-z.:_-]+$/, 'Enter the host name or IP address of the primary name server'),
);

const secretSchema = z
  .string()
  .check(
    z.maxLength(MAX_CREDENTIAL, 'This is too long to be the secret of a key'),
    z.trim(),
    z.regex(/^[0-9a-zA-Z+/]+={0,2}$/, 'Paste the secret as the key file has it, in base64'),
  );

/** People may paste the address of the API itself; the version is added here. */
const serverUrlSchema = z.string().check(
  z.maxLength(2_000, 'This is too long to be an address'),
  z.overwrite((text) =>
    text
      .trim()
      .replace(/\/$/, '')
      .replace(/\/api(?:\/v1)?$/, ''),
  ),
  z.refine(isPlainWebAddress, 'Enter the address of the API, such as https://dns.example.com'),
);

/** The secret part of a connection to each provider: sealed, and opened only for a request. */
export const DNS_FIELDS = {
  cloudflare: z.strictObject({ token: credentialSchema }),
  route53: z.strictObject({ accessKeyId: credentialSchema, secretAccessKey: credentialSchema }),
  digitalocean: z.strictObject({ token: credentialSchema }),
  hetzner: z.strictObject({ token: credentialSchema }),
  powerdns: z.strictObject({ url: serverUrlSchema, apiKey: credentialSchema }),
  rfc2136: z.strictObject({
    server: serverSchema,
    port: z.optional(
      z
        .int('Enter the port as a number')
        .check(z.minimum(1, 'The lowest port is 1'), z.maximum(65_535, 'The highest port is 65535')),
    ),
    zone: dnsNameSchema('Enter the name of the zone, such as example.com'),
    keyName: dnsNameSchema('Enter the name of the key as the key file has it'),
    algorithm: z.enum(TSIG_ALGORITHMS),
    secret: secretSchema,
  }),
} as const satisfies Record<DnsProviderId, z.ZodMiniType>;

export type DnsFields<Id extends DnsProviderId = DnsProviderId> = z.infer<(typeof DNS_FIELDS)[Id]>;

/**
 * A provider with its credential: the input of `connections.connect` for DNS, and the sealed content of a connection.
 */
export const dnsCredentialSchema = z.discriminatedUnion('provider', [
  z.strictObject({ provider: z.literal('cloudflare'), fields: DNS_FIELDS.cloudflare }),
  z.strictObject({ provider: z.literal('route53'), fields: DNS_FIELDS.route53 }),
  z.strictObject({ provider: z.literal('digitalocean'), fields: DNS_FIELDS.digitalocean }),
  z.strictObject({ provider: z.literal('hetzner'), fields: DNS_FIELDS.hetzner }),
  z.strictObject({ provider: z.literal('powerdns'), fields: DNS_FIELDS.powerdns }),
  z.strictObject({ provider: z.literal('rfc2136'), fields: DNS_FIELDS.rfc2136 }),
]);

export type DnsCredential = z.infer<typeof dnsCredentialSchema>;

/** One line of the form for connecting a DNS provider. */
export type DnsFieldFacts = {
  name: string;
  label: string;
  placeholder?: string;
  description?: string;
  /** Never shown, and required again when the connection is replaced. */
  isSecret?: true;
  isOptional?: true;
  isNumber?: true;
  choices?: readonly string[];
};

/** Instructions for making the credential, with its permissions, and the fields of the form. */
export type DnsProviderFacts = {
  /** The name of the provider in a sentence, if it is not its title. */
  called?: string;
  /** The provider's word for the credential, in a sentence. */
  credential: string;
  /** The page where it is made; null for the person's own server. */
  url: string | null;
  /** The path in the provider's own menu, or a command to run. */
  path: string;
  permissions: readonly string[];
  fields: readonly DnsFieldFacts[];
};

const TOKEN_FIELD: DnsFieldFacts = { name: 'token', label: 'Token', isSecret: true };

export const DNS_PROVIDERS: Record<DnsProviderId, DnsProviderFacts> = {
  // developers.cloudflare.com, "Create API token" and "API token permissions", 2026-03.
  cloudflare: {
    credential: 'API token',
    url: 'https://dash.cloudflare.com/profile/api-tokens',
    path: 'My Profile, API Tokens, Create Token',
    permissions: ['Zone: Read and DNS: Edit, limited to the zones of your domains.'],
    fields: [TOKEN_FIELD],
  },
  // docs.aws.amazon.com, "Actions, resources, and condition keys for Amazon Route 53", 2026.
  route53: {
    credential: 'access key',
    url: 'https://console.aws.amazon.com/iam/home#/users',
    path: 'IAM, Users, a separate user for Fairlead, Security credentials, Create access key',
    permissions: [
      'route53:ListHostedZones and route53:GetChange.',
      'route53:ListResourceRecordSets and route53:ChangeResourceRecordSets on the hosted zones of your domains.',
    ],
    fields: [
      { name: 'accessKeyId', label: 'Access key ID', placeholder: 'AKIA…' },
      { name: 'secretAccessKey', label: 'Secret access key', isSecret: true },
    ],
  },
  // docs.digitalocean.com, "How to Create a Personal Access Token", 2026.
  digitalocean: {
    credential: 'personal access token',
    url: 'https://cloud.digitalocean.com/account/api/tokens',
    path: 'API, Tokens, Generate New Token',
    permissions: ['Custom scopes: everything under “domain” (create, read, update and delete).'],
    fields: [TOKEN_FIELD],
  },
  // docs.hetzner.com, "Generating an API token", 2026.
  hetzner: {
    credential: 'API token',
    url: 'https://console.hetzner.com/projects',
    path: 'The project that holds your zones, Security, API tokens, Generate API token',
    permissions: ['Read & Write. It gives access to the whole project, since Hetzner has no narrower tokens.'],
    fields: [TOKEN_FIELD],
  },
  // doc.powerdns.com/authoritative/http-api, 4.7.
  powerdns: {
    credential: 'API key',
    url: null,
    path: 'pdns.conf: webserver=yes, api=yes and api-key, with the address of Fairlead in webserver-allow-from',
    permissions: ['The key gives access to all zones of the server, since PowerDNS has no narrower ones.'],
    fields: [
      {
        name: 'url',
        label: 'Address of the API',
        placeholder: 'https://dns.example.com',
        description: 'Without /api at its end.',
      },
      { name: 'apiKey', label: 'API key', isSecret: true },
    ],
  },
  // BIND 9 Administrator Reference Manual, "tsig-keygen" and "update-policy"; RFC 2136 and RFC 8945.
  rfc2136: {
    called: 'your name server',
    credential: 'TSIG key',
    url: null,
    path: 'On the primary server: tsig-keygen fairlead, then an update-policy for the zone',
    permissions: [
      'For BIND: grant fairlead zonesub ANY;',
      'For certificates alone: grant fairlead name _acme-challenge.example.com. TXT;',
    ],
    fields: [
      { name: 'server', label: 'Primary name server', placeholder: 'ns1.example.com' },
      { name: 'port', label: 'Port', placeholder: '53', isOptional: true, isNumber: true },
      { name: 'zone', label: 'Zone', placeholder: 'example.com' },
      { name: 'keyName', label: 'Key name', placeholder: 'fairlead' },
      { name: 'algorithm', label: 'Algorithm', choices: TSIG_ALGORITHMS },
      { name: 'secret', label: 'Secret', isSecret: true, description: 'In base64, as the key file has it.' },
    ],
  },
};

function isPlainWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && `${username}${password}${search}${hash}` === '';
}
