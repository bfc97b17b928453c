import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { type ContentFacts, createFactsReader, type FactsReader } from '../../../lib/content/content-facts.ts';
import { answeringOf, contentTypeOf } from '../../../lib/content/content-types.ts';
import { runInTimeSlices } from '../../../lib/time-slices.ts';
import type { SpoolFile } from '../../../store/intake.ts';
import type { Manifest } from '../../../store/manifest.ts';
import { readRuleFiles } from '../../../store/rule-files.ts';
import type { PlatformCall } from '../platform.ts';
import { bodyOf, contentsOf, servedOf } from '../send-files.ts';
import { configSteps } from '../site-routes.ts';
import { STATIC_SERVER } from './static-server.ts';

/** A fixed time makes equal releases give equal archives. */
const MADE_AT = new Date(0);
/** Dev Center, "Node.js Support" (2026): the long-term version. */
const NODE_VERSION = '24.x';
const PACKAGE = { name: 'site', private: true, engines: { node: NODE_VERSION } };

/**
 * Writes the release as the source of an app that serves it: a gzipped tar, with Heroku's files at its top. All names
 * in it are ours and short, so that it needs only the oldest form of tar headers: extended headers broke builds there.
 * Returns the SHA-256 of the archive. Each content is read once. Throws `artifact_corrupted`, `storage_full`, and the
 * reason of the signal.
 */
export async function packSource(call: PlatformCall, manifest: Manifest, file: SpoolFile): Promise<string> {
  const packer = pack();
  const hash = createHash('sha256');
  // Whichever fails first ends the other too, and is the reason of both.
  let failure: { reason: unknown } | null = null;
  const fail = (reason: unknown): void => {
    failure ??= { reason };
    packer.destroy();
  };
  const filled = fill(packer, call, manifest).catch(fail);
  const written = pipeline(bytesOf(packer), createGzip(), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      hash.update(piece);
      await file.write(piece);
    }
  }).catch(fail);
  await Promise.all([filled, written]);
  rethrow(failure);
  await file.flush();
  return hash.digest('hex');
}

function rethrow(failure: { reason: unknown } | null): void {
  if (failure !== null) throw failure.reason;
}

/** Yields the bytes through the iterator alone: this stream is not one of Node's own. */
async function* bytesOf(packer: Pack): AsyncGenerator<Uint8Array> {
  for await (const piece of packer) if (piece instanceof Uint8Array) yield piece;
}

/** Facts about the type of each content, by its hash. */
type Facts = Map<string, ContentFacts>;

async function* readThrough(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  reader: FactsReader,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    reader.add(chunk);
    yield chunk;
  }
}

async function fill(packer: Pack, call: PlatformCall, manifest: Manifest): Promise<void> {
  const served = servedOf(manifest);
  const facts: Facts = new Map();
  await addText(packer, 'Procfile', 'web: node server.mjs\n');
  await addText(packer, 'package.json', JSON.stringify(PACKAGE));
  await addText(packer, 'server.mjs', STATIC_SERVER);
  for (const content of contentsOf(served)) {
    call.signal.throwIfAborted();
    const body = await bodyOf(call, content);
    const chunks = body instanceof Uint8Array ? [body] : body.chunks;
    const reader = createFactsReader();
    const entry = { name: `files/${content.sha256}`, size: content.sizeBytes };
    await addEntry(packer, entry, readThrough(chunks, reader), call.signal);
    facts.set(content.sha256, reader.end());
  }
  await addText(packer, 'site.json', await siteText(call, manifest, served, facts));
  packer.finalize();
}

/** Returns the file that the server follows: every address with its content and media type, and the routes. */
async function siteText(
  { store, destination }: PlatformCall,
  manifest: Manifest,
  served: Manifest,
  facts: Facts,
): Promise<string> {
  const texts = await readRuleFiles(store, manifest);
  const { routes, overrides } = await runInTimeSlices(
    configSteps({
      paths: [...served.keys()],
      isSinglePage: destination.isSinglePage,
      redirects: texts.get('_redirects') ?? '',
      headers: texts.get('_headers') ?? '',
    }),
  );
  const files = [...served].map(([path, { sha256, sizeBytes }]) => {
    const address = overrides[path]?.path ?? path;
    const known = facts.get(sha256);
    return [
      address,
      sha256,
      sizeBytes,
      known === undefined ? contentTypeOf(path) : answeringOf({ path, paths: served }, known).type,
    ];
  });
  return JSON.stringify({ files, routes });
}

function addText(packer: Pack, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  return addEntry(packer, { name, size: bytes.length }, [bytes], null);
}

async function addEntry(
  packer: Pack,
  entry: { name: string; size: number },
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal | null,
): Promise<void> {
  const header = { ...entry, mtime: MADE_AT };
  let end: (error?: Error | null) => void = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  const sink = packer.entry(header, (error) => end(error));
  // A reader that stops may close without an event: the entry is over then as well.
  done.catch(() => undefined);
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), done]);
  }
  sink.end(null);
  await done;
}
