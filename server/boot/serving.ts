import {
  CertificateFileError,
  type CertificateFiles,
  createCertificateFiles,
} from '../certificates/certificate-files.ts';
import type { Providers } from '../context.ts';
import { createHost, type HostTls } from '../host/listener.ts';
import { createSiteCertificates } from '../host/site-certificates.ts';
import { createHttpServer } from '../http/server.ts';
import type { TicketRoot } from '../http/transport/ticket-keys.ts';
import { jobHandlers } from '../jobs/registry.ts';
import { EXIT_CONFIG, StartError } from '../lib/start-error.ts';
import { scheduleRecurringJobs } from '../queue/recurring.ts';
import { takeOverJobs } from '../queue/take-over.ts';
import { createWorker } from '../queue/worker.ts';
import type { Env } from './env/env.ts';
import type { SitesTls } from './env/sites.ts';
import { listening } from './ports.ts';
import { createReadiness } from './readiness.ts';
import type { OnShutdown } from './shutdown-stack.ts';

/** The page that was waited for has come by then, and its first calls are answered. */
const REST_LOADED_AFTER_MS = 1_000;

export type ServingOptions = {
  env: Env;
  webRoot: string;
  /** The name of this process's job worker: no other that is alive has it. */
  worker: string;
  /**
   * The workers whose jobs it takes over, since they are dead: of a run before this one the lock was stale, of a child the
   * first process has seen the end. A child that outlives its killed run by a moment is held off by the fence.
   */
  takesOverFrom: readonly string[];
  /** False before the start of all processes is whole and from the first moment of a stop. */
  isServing: () => boolean;
  /** Whether this process writes down what the host serves; of several, one does. */
  keepsSnapshot: boolean;
  /** What the keys of TLS session tickets come from; of one process alone it is its own. */
  ticketRoot?: TicketRoot | undefined;
};

/** What every process of an instance runs: change feed → host → HTTP → worker. */
export async function startServing(
  providers: Providers,
  options: ServingOptions,
  onShutdown: OnShutdown,
): Promise<void> {
  const { env, webRoot, isServing, keepsSnapshot } = options;
  const { host, processes, dataDir } = env;
  await providers.changes.start();
  onShutdown('change feed', () => providers.changes.stop());
  const tls = await startTls(providers, options, onShutdown);
  const sites = createHost(providers, { port: env.sitesPort, host, dataDir, processes, keepsSnapshot, tls });
  await listening(env, () => sites.start());
  onShutdown('host', () => sites.stop());
  const takingOver = takeOverJobs(options.takesOverFrom, providers.log);
  takingOver.catch(() => undefined);
  const worker = createWorker(providers, { handlers: jobHandlers, name: options.worker, processes });
  let resting: Promise<void> | undefined;
  const restWorker = (): Promise<void> => (resting ??= worker.stop());
  onShutdown('worker', restWorker);
  const readiness = createReadiness({ store: providers.store, worker, isServing });
  const http = createHttpServer({ providers, port: env.port, host, webRoot, readiness, processes });
  await listening(env, () => http.start());
  onShutdown('HTTP server', async () => {
    // Together: the worker claims nothing more from the first moment, and its jobs end while requests do.
    await Promise.all([http.stop(), restWorker()]);
  });
  onShutdown(
    'recurring jobs',
    scheduleRecurringJobs(providers.log, () => providers.now()),
  );
  const loading = setTimeout(loadTheRest, REST_LOADED_AFTER_MS);
  onShutdown('libraries', async () => clearTimeout(loading));
  // People are answered meanwhile. The worker bears the name of one that it takes over from, so it starts afterwards.
  await takingOver;
  if (resting === undefined) await worker.start();
  void preparePayments(providers);
}

/**
 * Loads what no first answer needs. It does not wait until that is asked for: a build may have taken the place of these files
 * by then. What cannot be loaded now says so to whoever needs it.
 */
async function loadTheRest(): Promise<void> {
  await Promise.allSettled([import('../lib/egress/client.ts'), import('../certificates/x509-library.ts')]);
}

/** People are served whether or not the payment service answers: what it lacks is made at the first checkout then. */
async function preparePayments({ payments, log }: Providers): Promise<void> {
  try {
    await payments.hosted?.prepare();
  } catch (error) {
    const why = error instanceof Error ? (error.cause ?? error) : error;
    log.warn('The payment service cannot be used yet; the next checkout tries again', { error: String(why) });
  }
}

/** The certificate of the sites is named by the operator, those of domains are in the database. */
async function startTls(
  providers: Providers,
  { env, ticketRoot }: ServingOptions,
  onShutdown: OnShutdown,
): Promise<HostTls | undefined> {
  const { sitesTls, tlsPort: port, isTlsPortGiven, processes } = env;
  if (port === undefined) return undefined;
  const sites = sitesTls && (await startSitesCertificate(providers, sitesTls, onShutdown));
  const domains = createSiteCertificates(providers, { processes });
  await domains.start();
  onShutdown('certificates', async () => domains.stop());
  const contextFor: HostTls['contextFor'] = (name) => sites?.contextFor(name) ?? domains.contextFor(name);
  return { port, isOptional: !isTlsPortGiven, url: sitesTls?.url, ticketRoot, contextFor, has: domains.has };
}

/** Throws StartError with a sentence when the certificate cannot be used. */
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
