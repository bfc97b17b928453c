import { createHash } from 'node:crypto';
import { parseCookie } from 'cookie';
import express, { type NextFunction, type Request, type Response } from 'express';
import mongoose from 'mongoose';
import { mongoUri, tellReady } from '../ready.ts';

/**
 * The same API as somebody would write it by hand with Express and MongoDB's driver, over the database that Fairlead's
 * server has filled: the same sign-in, count of calls, reads, headers and answer, and no code of Fairlead.
 */
const [databaseName = ''] = process.argv.slice(2);
type Document = mongoose.mongo.Document;
const client = await new mongoose.mongo.MongoClient(mongoUri()).connect();
const database = client.db(databaseName);
const sessions = database.collection<Document & { _id: string }>('sessions');
const deployments = database.collection<Document & { _id: string }>('deployments');
const releases = database.collection<Document & { _id: string }>('releases');
const domains = database.collection<Document & { _id: string }>('domains');
const acceptances = database.collection<Document & { _id: string }>('disclaimer_acceptances');

const CALLS_A_MINUTE = Number.POSITIVE_INFINITY;
const calls = new Map<string, number>();
setInterval(() => calls.clear(), 60_000).unref();

function count(key: string, response: Response): boolean {
  const counted = (calls.get(key) ?? 0) + 1;
  calls.set(key, counted);
  if (counted <= CALLS_A_MINUTE) return true;
  response.status(429).json({ message: 'Too many calls.' });
  return false;
}

function setHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': crypto.randomUUID(),
  });
  next();
}

async function findSession(request: Request): Promise<Document | null> {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer === undefined) return null;
  const hash = createHash('sha256').update(bearer).digest('base64url');
  const now = new Date();
  return sessions.findOne(
    {
      access: { $elemMatch: { hash, expiresAt: { $gt: now } } },
      revokedAt: null,
      endsAt: { $gt: now },
      idleEndsAt: { $gt: now },
    },
    { projection: { accountId: 1, lastIssuedAt: 1, access: { $elemMatch: { hash } } } },
  );
}

function toReference(release: Document | undefined) {
  if (release === undefined) return null;
  const {
    _id: id,
    number,
    state,
    source,
    createdAt,
    finishedAt,
    liveSince,
    error,
    corruptedFiles,
    hasStartPage,
  } = release;
  const paths = new Set((corruptedFiles ?? []).map((file: Document) => file.path));
  return {
    id,
    number,
    state,
    source,
    createdAt,
    finishedAt: finishedAt ?? null,
    liveSince: liveSince ?? null,
    errorMessage: error?.message ?? null,
    corruptedFileCount: paths.size,
    hasStartPage: hasStartPage ?? true,
  };
}

const siteUrl = (slug: string): string => `http://${slug}.localhost:3001`;

/** The answers to the reads that a request makes beside its rows. */
type Read = { references: ReadonlyMap<string, Document>; urls: ReadonlyMap<string, string> };

function toItem(row: Document, { references, urls }: Read) {
  const { _id: id, name, slug, platform, state, releaseCount, isSinglePage, hasCleanUrls, createdAt, updatedAt } = row;
  return {
    id,
    name,
    slug,
    platform,
    state,
    url: siteUrl(slug),
    visitUrl: urls.get(id) ?? siteUrl(slug),
    primaryId: row.primaryId,
    destinations: row.destinations.map((one: Document) => ({
      id: one._id,
      platform: one.platform,
      url: siteUrl(slug),
      state: one.state,
      error: one.error ?? null,
    })),
    // Where our own host publishes there is no connection to lose.
    lostConnections: [],
    currentRelease: toReference(references.get(row.currentReleaseId)),
    latestRelease: toReference(references.get(row.latestReleaseId)),
    releaseCount,
    isSinglePage,
    hasCleanUrls,
    createdAt,
    updatedAt,
  };
}

async function listDeployments(request: Request, response: Response): Promise<void> {
  const session = await findSession(request);
  if (session === null) return void response.status(401).json({ message: 'Log in to do this.' });
  if (!count(String(session._id), response)) return;
  const limit = Number(request.query.limit ?? 25);
  if (!(limit >= 1 && limit <= 100)) return void response.status(400).json({ message: 'From 1 to 100.' });
  const { accountId } = session;
  const rows = await deployments
    .find({ accountId })
    .sort({ updatedAt: -1, _id: -1 })
    .hint('account_latest')
    .limit(limit + 1)
    .toArray();
  const page = rows.slice(0, limit);
  const ids = [...new Set(page.flatMap((row) => [row.currentReleaseId, row.latestReleaseId]))].filter(Boolean);
  const projection = {
    number: 1,
    state: 1,
    source: 1,
    createdAt: 1,
    finishedAt: 1,
    liveSince: 1,
    error: 1,
    corruptedFiles: 1,
    hasStartPage: 1,
  };
  const ofPage = { accountId, deploymentId: { $in: page.map((row) => row._id) }, state: 'active', lostAt: null };
  const [found, active] = await Promise.all([
    releases.find({ _id: { $in: ids }, accountId }, { projection }).toArray(),
    domains.find(ofPage, { projection: { deploymentId: 1, servedName: 1 }, sort: { createdAt: -1 } }).toArray(),
  ]);
  const references = new Map(found.map((release) => [release._id, release]));
  const urls = new Map(active.map(({ deploymentId, servedName }) => [deploymentId, `http://${servedName}`]));
  response.json({ items: page.map((row) => toItem(row, { references, urls })), nextCursor: null });
}

async function disclaimerStatus(request: Request, response: Response): Promise<void> {
  const id = parseCookie(request.headers.cookie ?? '').fairlead_disclaimer;
  const acceptance = id === undefined ? null : await acceptances.findOne({ _id: id });
  const acceptedAt = acceptance?.acceptedAt ?? null;
  response.json({ version: 1, accepted: acceptedAt !== null, acceptedAt });
}

const app = express().disable('x-powered-by').disable('etag').use(setHeaders);
app.get('/deployments', listDeployments);
app.get('/disclaimer', disclaimerStatus);
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  tellReady(address.port);
});
