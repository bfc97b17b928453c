import { randomBytes } from 'node:crypto';
import type { Secrets } from '../../../lib/crypto/secrets.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/durations.ts';
import { type CertificateAuthority, LOCAL_AUTHORITY, type LocalRoots, type SealedRoot } from './authority.ts';
import { makeKey, P256, readKey } from './x509.ts';

export type LocalAuthorityOptions = {
  roots: LocalRoots;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  now(): Date;
};

const CONTEXT = 'secrets:authority:key:nobody';
const NAME = 'Fairlead local authority';
const ROOT_DAYS = 3_650;
const LEAF_DAYS = 90;
/** The clock of a visitor may be slow. */
const BACKDATED_MS = HOUR_MS;
/** RFC 5280, section 4.1.2.2, allows 20 bytes. */
const SERIAL_BYTES = 16;
const ORDER = 'local:';
const ACCOUNT = 'local:account';

type Root = { certificate: string; key: string };

/**
 * The app's own authority, for an installation that no public one can reach. It signs at once and validates nothing,
 * since only the app orders from it; no browser trusts it until its root is installed. An order's address contains its
 * names, so that nothing is stored.
 */
export function createLocalAuthority({
  roots,
  secrets,
  now,
}: LocalAuthorityOptions): CertificateAuthority & Required<Pick<CertificateAuthority, 'root'>> {
  let known: Promise<Root> | undefined;

  function open(): Promise<Root> {
    known ??= findOrMake();
    known.catch(() => {
      known = undefined;
    });
    return known;
  }

  /** Finds the root or makes one. Another instance may have been faster: the stored root counts. */
  async function findOrMake(): Promise<Root> {
    const { certificate, key } = await roots.storeFirst((await roots.find()) ?? (await makeRoot()));
    return { certificate, key: secrets.open(key, CONTEXT) };
  }

  async function makeRoot(): Promise<SealedRoot> {
    const { certificate, key } = await createRoot(now());
    return { certificate, key: secrets.seal(key, CONTEXT) };
  }

  const orderAt = (url: string) => ({ url, status: 'ready' as const, authorizations: [], problem: null });
  return {
    id: LOCAL_AUTHORITY,
    name: NAME,
    isPublic: false,
    root: async () => (await open()).certificate,
    register: async () => ACCOUNT,
    order: async (_call, { names }) => `${ORDER}${names.join(',')}`,
    read: async (_call, url) => orderAt(url),
    answer: async () => undefined,
    awaitValidation: async (_call, url) => orderAt(url),
    finish: async (_call, url, csr) => sign(await open(), url.slice(ORDER.length).split(','), csr, now()),
    // Nobody asks this authority whether a certificate is still valid.
    revoke: async () => undefined,
    renewalInfo: async () => null,
    caaIdentities: async () => [],
  };
}

async function createRoot(now: Date): Promise<Root> {
  const x509 = await import('./x509-library.ts');
  const { pair, pem } = await makeKey();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${NAME}`,
    issuer: `CN=${NAME}`,
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + ROOT_DAYS * DAY_MS),
    signingAlgorithm: P256,
    publicKey: pair.publicKey,
    signingKey: pair.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(pair.publicKey, false),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pem };
}

async function sign(root: Root, names: readonly string[], csr: Uint8Array, now: Date): Promise<string> {
  const x509 = await import('./x509-library.ts');
  const request = new x509.Pkcs10CertificateRequest(Buffer.from(csr));
  const issuer = new x509.X509Certificate(root.certificate);
  const { privateKey } = await readKey(root.key);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    issuer: issuer.subject,
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + LEAF_DAYS * DAY_MS),
    signingAlgorithm: P256,
    publicKey: request.publicKey,
    signingKey: privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // Without a subject the names must be critical (RFC 5280, section 4.2.1.6).
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: 'dns' as const, value })),
        true,
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer, false),
      await x509.SubjectKeyIdentifierExtension.create(request.publicKey, false),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** Returns a positive number: the first bit is not set, and the first byte not zero. */
function serialNumber(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes.toString('hex');
}
