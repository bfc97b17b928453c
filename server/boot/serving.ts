import type { Providers } from '../context.ts';
import {
  CertificateFileError,
  type CertificateFiles,
  createCertificateFiles,
} from '../domains/certificates/authority/certificate-files.ts';
import { createHost, type HostTls } from '../host/listener.ts';
import { createSiteCertificates } from '../host/site-certificates.ts';
import { ticketKeys } from '../host/ticket-keys.ts';
import { createHttpServer } from '../http/server.ts';
import { loadPasswordLibrary } from '../lib/crypto/password-hasher.ts';
import type { Log } from '../lib/log.ts';
import { EXIT_CONFIG, StartError } from '../lib/start-error.ts';
import { scheduleRecurringJobs } from '../queue/recurring.ts';
import { takeOverJobs } from '../queue/take-over.ts';
import { createWorker } from '../queue/worker.ts';
import type { Env } from './env/env.ts';
import type { SitesTls } from './env/sites.ts';
import { jobHandlers } from './jobs.ts';
import { listening } from './ports.ts';
import { createReadiness } from './readiness.ts';
import type { OnShutdown } from './shutdown-stack.ts';

/** The page that was waited for has arrived by then, and its first calls are answered. */
const REST_LOADED_AFTER_MS = 1_000;

export type ServingOptions = {
  env: Env;
  webRoot: string;
  /** The name of this process's job worker, which no other live worker has. */
  worker: string;
  /**
   * Names the dead workers whose jobs this one takes over: those of an earlier run, whose lock was stale, or that of a
   * child whose end the supervisor has seen. The fence stops a child that outlives its killed run by a moment.
   */
  takesOverFrom: readonly string[];
  /** False before the start is complete and from the first moment of a stop. */
  isServing: () => boolean;
};

/** Starts the parts of a running instance: change feed → host → HTTP → worker. */
export async function startServing(
  providers: Providers,
  options: ServingOptions,
  onShutdown: OnShutdown,
): Promise<void> {
  const { env, webRoot, isServing } = options;
  const { host, dataDir } = env;
  await providers.changes.start();
  onShutdown('change feed', () => providers.changes.stop());
  const tls = await startTls(providers, options, onShutdown);
  const sites = createHost(providers, { port: env.sitesPort, host, dataDir, tls });
  await listening(env, () => sites.start());
  onShutdown('host', () => sites.stop());
  const takingOver = takeOverJobs(options.takesOverFrom, providers.log);
  takingOver.catch(() => undefined);
  const worker = createWorker(providers, { handlers: jobHandlers, name: options.worker });
  let resting: Promise<void> | undefined;
  const restWorker = (): Promise<void> => (resting ??= worker.stop());
  onShutdown('worker', restWorker);
  const readiness = createReadiness({ store: providers.store, worker, isServing });
  const http = createHttpServer({ providers, port: env.port, host, webRoot, readiness });
  await listening(env, () => http.start());
  onShutdown('HTTP server', async () => {
    // These stop together: the worker claims nothing more at once, and its jobs end while requests do.
    await Promise.all([http.stop(), restWorker()]);
  });
  onShutdown(
    'recurring jobs',
    scheduleRecurringJobs(providers.log, () => providers.now()),
  );
  const loading = setTimeout(loadTheRest, REST_LOADED_AFTER_MS, env, providers.log);
  onShutdown('libraries', async () => clearTimeout(loading));
  // People are served meanwhile. The worker has the name of one that it takes over from, so it starts afterwards.
  await takingOver;
  if (resting === undefined) await worker.start();
  void preparePayments(providers);
}

/**
 * Loads the modules that no first answer needs. It does not wait until they are asked for, because a build may have
 * replaced the files by then. The caller that needs a module that failed here gets the error as well.
 */
export async function loadTheRest({ smtp }: Pick<Env, 'smtp'>, log: Log): Promise<void> {
  const loaded = await Promise.allSettled([
    loadPasswordLibrary(),
    import('../lib/egress/client.ts'),
    import('../domains/certificates/authority/x509-library.ts'),
    smtp && import('../account/mail/smtp.ts'),
  ]);
  for (const one of loaded) {
    if (one.status === 'rejected') log.error('A part of Fairlead cannot be loaded.', { error: String(one.reason) });
  }
}

/**
 * Sets up the payment service in the background: people are served whether or not it answers, and the first checkout
 * makes up for a failure.
 */
async function preparePayments({ payments, log }: Providers): Promise<void> {
  try {
    await payments.hosted?.prepare();
  } catch (error) {
    const why = error instanceof Error ? (error.cause ?? error) : error;
    log.warn('The payment service cannot be used yet; the next checkout tries again', { error: String(why) });
  }
}

/** Starts the TLS listeners. The operator names the certificate of the sites; those of domains are in the database. */
async function startTls(
  providers: Providers,
  { env }: ServingOptions,
  onShutdown: OnShutdown,
): Promise<HostTls | undefined> {
  const { sitesTls, tlsPort: port, isTlsPortGiven } = env;
  if (port === undefined) return undefined;
  const sites = sitesTls && (await startSitesCertificate(providers, sitesTls, onShutdown));
  const domains = createSiteCertificates(providers);
  await domains.start();
  onShutdown('certificates', async () => domains.stop());
  const contextFor: HostTls['contextFor'] = (name) => sites?.contextFor(name) ?? domains.contextFor(name);
  return {
    ...{ port, isOptional: !isTlsPortGiven, url: sitesTls?.url, contextFor, has: domains.has },
    ticketKeys: () => ticketKeys(providers),
  };
}

/** Loads the sites' certificate. Throws StartError with a sentence when it cannot be used. */
async function startSitesCertificate(
  { addresses, log, now }: Providers,
  { certFile, keyFile }: SitesTls,
  onShutdown: OnShutdown,
): Promise<CertificateFiles> {
  const files = { certFile, keyFile };
  const certificate = createCertificateFiles({ files, sitesDomain: addresses.sitesDomain, log, now });
  try {
    await certificate.start();
  } catch (error) {
    throw error instanceof CertificateFileError ? new StartError(EXIT_CONFIG, `${error.message}.`, error) : error;
  }
  onShutdown('certificate', async () => certificate.stop());
  return certificate;
}
