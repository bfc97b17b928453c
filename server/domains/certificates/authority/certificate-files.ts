import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Log } from '../../../lib/log.ts';
import { parseSiteHost, parseUploadHost, siteHost } from '../../../lib/site-names.ts';

export type CertificatePair = { certFile: string; keyFile: string };

export type CertificateFiles = {
  /** Reads the pair for the first time; throws `CertificateFileError` when it cannot be used. */
  start(): Promise<void>;
  stop(): void;
  /** Returns the certificate for a server name, or undefined when it is not the name of a site. */
  contextFor(name: string): SecureContext | undefined;
};

export type CertificateFilesOptions = {
  files: CertificatePair;
  /** The certificate must cover `*.{sitesDomain}`. */
  sitesDomain: string;
  log: Log;
  now(): Date;
  /** The files are checked at this interval. */
  pollMs?: number;
};

/** One of the two files cannot be used: `fault` completes a sentence that begins with `variable`. */
export class CertificateFileError extends Error {
  readonly variable: 'SITES_CERT_FILE' | 'SITES_KEY_FILE';
  readonly path: string;
  readonly fault: string;

  constructor(variable: CertificateFileError['variable'], path: string, fault: string, cause?: unknown) {
    super(`${variable} is "${path}", but ${fault}`, { cause });
    this.name = 'CertificateFileError';
    this.variable = variable;
    this.path = path;
    this.fault = fault;
  }
}

const POLL_MS = 2_000;
/** A person who renews by hand needs some days, and a program has renewed long before. */
const WARN_DAYS = 14;

/**
 * Serves the certificate of the sites' domain from two files that another program renews. They are read again when
 * they change, also behind symbolic links: a valid pair replaces the previous one for new handshakes, and open
 * connections go on. An invalid pair, such as a half-written one, changes nothing and is logged.
 */
export function createCertificateFiles(options: CertificateFilesOptions): CertificateFiles {
  const { files, sitesDomain, log, now, pollMs = POLL_MS } = options;
  let current: SecureContext | undefined;
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function take(): Promise<void> {
    const { context, expiresAt } = await readPair(files, sitesDomain);
    current = context;
    const daysLeft = Math.floor((expiresAt.getTime() - now().getTime()) / DAY_MS);
    const fields = { file: files.certFile, expiresAt: expiresAt.toISOString() };
    if (daysLeft < 0) log.error('The certificate of the sites has expired', fields);
    else if (daysLeft < WARN_DAYS) log.warn('The certificate of the sites expires soon', fields);
    else log.info('The certificate of the sites is in use', fields);
  }

  async function poll(): Promise<void> {
    const found = await fingerprintOf(files);
    if (found !== seen) {
      seen = found;
      await take().catch((error: unknown) => {
        log.error('The new certificate of the sites cannot be used; the previous one stays in use', {
          error: error instanceof Error ? error.message : String(error),
        });
      });
    }
    pollLater();
  }

  function pollLater(): void {
    if (!isStopped) timer = setTimeout(() => void poll(), pollMs).unref();
  }

  return {
    async start() {
      seen = await fingerprintOf(files);
      await take();
      pollLater();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    contextFor(name) {
      const host = name.toLowerCase();
      const isOurs = parseSiteHost(sitesDomain, host) !== null || parseUploadHost(sitesDomain, host) !== null;
      return isOurs ? current : undefined;
    },
  };
}

/** Returns a text that changes with the content of either file, and with the target of a symbolic link. */
async function fingerprintOf({ certFile, keyFile }: CertificatePair): Promise<string> {
  const parts = [certFile, keyFile].map((path) =>
    stat(path, { bigint: true }).then(
      ({ dev, ino, size, mtimeNs }) => `${dev}:${ino}:${size}:${mtimeNs}`,
      () => 'absent',
    ),
  );
  return (await Promise.all(parts)).join(' ');
}

async function readPair(
  { certFile, keyFile }: CertificatePair,
  sitesDomain: string,
): Promise<{ context: SecureContext; expiresAt: Date }> {
  const [cert, key] = await Promise.all([
    attempt(() => readFile(certFile), 'SITES_CERT_FILE', certFile, 'it cannot be read; name a file in PEM'),
    attempt(() => readFile(keyFile), 'SITES_KEY_FILE', keyFile, 'it cannot be read; name a file in PEM'),
  ]);
  const leaf = await attempt(
    () => new X509Certificate(cert),
    'SITES_CERT_FILE',
    certFile,
    'it holds no certificate in PEM',
  );
  const names = siteHost(sitesDomain, { slug: '*', release: null });
  if (!isFor(leaf, names)) {
    throw new CertificateFileError('SITES_CERT_FILE', certFile, `its certificate is not for ${names}`);
  }
  const privateKey = await attempt(
    () => createPrivateKey(key),
    'SITES_KEY_FILE',
    keyFile,
    'it holds no private key in PEM, or one that needs a passphrase',
  );
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new CertificateFileError(
      'SITES_KEY_FILE',
      keyFile,
      'it is not the key of the certificate in SITES_CERT_FILE',
    );
  }
  const fault = 'its certificate cannot be served: the key may be too short or the chain broken';
  const context = await attempt(() => createSecureContext({ cert, key }), 'SITES_CERT_FILE', certFile, fault);
  return { context, expiresAt: new Date(leaf.validTo) };
}

/** Clients check the alternative names alone (RFC 9525, section 6.3). */
function isFor({ subjectAltName = '' }: X509Certificate, names: string): boolean {
  return subjectAltName.toLowerCase().split(', ').includes(`dns:${names}`);
}

async function attempt<T>(
  act: () => T | Promise<T>,
  variable: CertificateFileError['variable'],
  path: string,
  fault: string,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new CertificateFileError(variable, path, fault, error);
  }
}
