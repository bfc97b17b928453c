import { createPrivateKey, createPublicKey, X509Certificate as NodeCertificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Makes a P-256 key: the pair for signing, and the private key in PEM for storing. */
export async function makeKey(): Promise<{ pair: CryptoKeyPair; pem: string }> {
  const pair = await crypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { pair, pem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** Reads the pair of a key from `makeKey`. */
export async function readKey(pem: string): Promise<CryptoKeyPair> {
  const key = createPrivateKey(pem);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), P256, true, [
      'sign',
    ]),
    publicKey: await crypto.subtle.importKey('spki', spki, P256, true, ['verify']),
  };
}

export { P256 };

/**
 * Returns the request for these names with this key. It has alternative names alone, since newer profiles refuse a
 * common name.
 */
export async function createRequest(names: readonly string[], keyPem: string): Promise<Uint8Array> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await import('./x509-library.ts');
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: await readKey(keyPem),
    signingAlgorithm: P256,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))],
  });
  return new Uint8Array(request.rawData);
}

/** Returns the key id of the authority that signed it; null when it names none. */
export async function authorityKeyIdOf(chain: string): Promise<Buffer | null> {
  const { AuthorityKeyIdentifierExtension, X509Certificate } = await import('./x509-library.ts');
  const keyId = new X509Certificate(leafOf(chain)).getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  return keyId === undefined ? null : Buffer.from(keyId, 'hex');
}

const END = '-----END CERTIFICATE-----';

/** Returns the first certificate of a chain. */
export function leafOf(chain: string): string {
  const end = chain.indexOf(END);
  return end < 0 ? chain : `${chain.slice(0, end + END.length)}\n`;
}

export type CertificateFacts = { serial: string; issuer: string; notBefore: Date; notAfter: Date };

/**
 * Checks that a chain can be served, for all these names with this key, and returns its facts. Otherwise throws an
 * Error with a sentence, so that a bad chain never replaces a good one.
 */
export function requireServable(chain: string, keyPem: string, names: readonly string[]): CertificateFacts {
  const leaf = new NodeCertificate(chain);
  if (!leaf.checkPrivateKey(createPrivateKey(keyPem))) throw new Error('The certificate is for another key.');
  const signed = (leaf.subjectAltName ?? '').toLowerCase().split(', ');
  const missing = names.filter((name) => !signed.includes(`dns:${name}`));
  if (missing.length > 0) throw new Error(`The certificate is not for ${missing.join(', ')}.`);
  createSecureContext({ cert: chain, key: keyPem });
  return {
    serial: leaf.serialNumber,
    issuer: commonNameOf(leaf.issuer),
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
  };
}

function commonNameOf(issuer: string): string {
  return (
    issuer
      .split('\n')
      .find((line) => line.startsWith('CN='))
      ?.slice(3) ?? issuer.replaceAll('\n', ', ')
  );
}
