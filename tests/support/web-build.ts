import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** Vite's manifest of a build: modules by their path below the root, with the files that were made of them. */
export type WebManifest = Record<string, WebChunk>;
type WebChunk = { file: string; name?: string; imports?: string[]; dynamicImports?: string[]; css?: string[] };

export const WEB_ENTRY = 'index.html';

export async function readWebManifest(folder: string): Promise<WebManifest> {
  return JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8'));
}

/** Returns the scripts that these modules need before they run. */
export function scriptsOf(manifest: WebManifest, roots: readonly string[]): Set<string> {
  const scripts = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`The build has no ${name}.`);
    if (seen.has(name)) return;
    seen.add(name);
    if (chunk.file.endsWith('.js')) scripts.add(chunk.file);
    chunk.imports?.forEach(visit);
  };
  roots.forEach(visit);
  return scripts;
}

/** A name has the hash of its content in it, and most files are of many routes. */
const weights = new Map<string, number>();

/** Returns the size of these files on their way to a browser. */
export async function brotliKb(folder: string, files: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += await brotliBytes(join(folder, file));
  return bytes / 1024;
}

async function brotliBytes(path: string): Promise<number> {
  const known = weights.get(path);
  if (known !== undefined) return known;
  // Brotli is at its best quality unless told otherwise.
  const { length } = brotliCompressSync(await readFile(path));
  weights.set(path, length);
  return length;
}
