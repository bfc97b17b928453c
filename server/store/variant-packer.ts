import type { ArtifactStore } from './store.ts';
import type { VariantSlice, Variants } from './variants.ts';

/** Bodies are held until a pack is full: this bounds the memory, whatever the size of the release. */
const PACK_BYTES = 8 * 1024 * 1024;

export type VariantBodies = { br: Buffer | null; gzip: Buffer | null };
type Waiting = { sha256: string; bodies: VariantBodies };

/** Writes compressed bodies one after the other into packs, and says where each of them lies. */
export function createVariantPacker(store: ArtifactStore, onStored: (sha256: string, variants: Variants) => void) {
  let waiting: Waiting[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    const whole = Buffer.concat(
      waiting.flatMap(({ bodies }) => [bodies.br, bodies.gzip].filter((body) => body !== null)),
    );
    const pack = { sha256: '', sizeBytes: whole.byteLength };
    if (whole.byteLength > 0) pack.sha256 = (await store.writeWhole(whole)).sha256;
    let at = 0;
    const slice = (body: Buffer | null): VariantSlice | null => {
      if (body === null) return null;
      at += body.byteLength;
      return { pack, start: at - body.byteLength, end: at };
    };
    for (const { sha256, bodies } of waiting) onStored(sha256, { br: slice(bodies.br), gzip: slice(bodies.gzip) });
    waiting = [];
    bytes = 0;
  }

  return {
    async add(sha256: string, bodies: VariantBodies): Promise<void> {
      waiting.push({ sha256, bodies });
      bytes += (bodies.br?.byteLength ?? 0) + (bodies.gzip?.byteLength ?? 0);
      if (bytes >= PACK_BYTES) await flush();
    },
    /** The last pack is stored when this has resolved. */
    finish: flush,
  };
}
