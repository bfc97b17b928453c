import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * Precompressed variants are made once, never for a request, which a stranger could repeat: brotli 5 is as fast as gzip 6
 * and about 5 % smaller. zlib works on its own threads, so the event loop never waits for it.
 */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 6;
/** With the default of 16 KiB large files take many times as long. */
const CHUNK_BYTES = 1024 * 1024;

/** Below, a packet holds the file anyway; above, one body would keep a thread and its memory for seconds. */
export const COMPRESSED_MIN_BYTES = 1024;
export const COMPRESSED_MAX_BYTES = 16 * 1024 * 1024;
/** A variant is kept only when it saves at least 5 %: less is not worth its room. */
const KEPT_SHARE = 0.95;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Null where it saves too little. One after the other: this is background work beside a host that answers. */
export async function compress(bytes: Buffer): Promise<{ br: Buffer | null; gzip: Buffer | null }> {
  const br = await brotli(bytes, {
    chunkSize: chunkOf(bytes),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
    },
  });
  const gz = await deflate(bytes, { chunkSize: chunkOf(bytes), level: GZIP_LEVEL });
  return { br: isWorth(br, bytes) ? br : null, gzip: isWorth(gz, bytes) ? gz : null };
}

function chunkOf(bytes: Buffer): number {
  return Math.min(CHUNK_BYTES, Math.max(COMPRESSED_MIN_BYTES, bytes.byteLength));
}

function isWorth(packed: Buffer, bytes: Buffer): boolean {
  return packed.byteLength <= bytes.byteLength * KEPT_SHARE;
}
