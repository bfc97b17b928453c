import { SELECTION_FILES_MAX, type SelectedZip, SelectionUnreadable, type ZippedFile } from './selection.ts';
import { decodeName, readDirectory, type ZipEntry } from './zip-directory.ts';

/**
 * A ZIP as the browser reads it: its directory, and single files out of it, so that a person sees what it is before
 * anything is sent. What may be published the server decides, by its own reading of the whole.
 */

/** The upper 16 bits of the attributes are Unix' (APPNOTE 4.4.2): a link or a device is no file of a website. */
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const MADE_BY_UNIX = new Set([3, 19]);

/**
 * Reads what a ZIP lists.
 *
 * @throws SelectionUnreadable where it is no ZIP, is damaged, or holds what cannot be published
 */
export async function readZip(zip: File): Promise<SelectedZip> {
  const listed = await readDirectory(zip, SELECTION_FILES_MAX);
  const files = listed.filter((entry) => !decodeName(entry).endsWith('/'));
  if (files.length === 0) {
    throw new SelectionUnreadable(`${zip.name} holds no files. Choose the ZIP that holds your index.html.`);
  }
  const entries = files.map((entry) => zippedFile(zip, entry));
  entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { name: zip.name.replace(/\.zip$/i, ''), zip, within: '', entries };
}

function zippedFile(zip: File, entry: ZipEntry): ZippedFile {
  const path = decodeName(entry);
  const reason = unusable(entry);
  if (reason !== null) throw new SelectionUnreadable(`${path} in ${zip.name} ${reason}`);
  return { path, sizeBytes: entry.sizeBytes, unpack: () => unpackEntry(zip, entry, path) };
}

function unusable({ flags, method, madeBy, attributes }: ZipEntry): string | null {
  if ((flags & 1) !== 0) return 'is locked with a password. Make a ZIP without one.';
  if (method !== 0 && method !== 8)
    return 'is packed in a way that is not read. Make the ZIP anew, or drop the folder.';
  const type = (attributes >>> 16) & FILE_TYPE_MASK;
  if (MADE_BY_UNIX.has(madeBy) && type !== 0 && type !== REGULAR_FILE) {
    return 'is a link or a device, no file. Put the file itself in its place.';
  }
  return null;
}

async function unpackEntry(zip: File, entry: ZipEntry, path: string): Promise<File> {
  const start = await dataStart(zip, entry, path);
  const packed = zip.slice(start, start + entry.packedBytes);
  const stream =
    entry.method === 0 ? packed.stream() : packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let crc = 0;
  try {
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > entry.sizeBytes) throw new Error('more bytes than listed');
      crc = crc32(part.value, crc);
      parts.push(part.value);
    }
  } catch (cause) {
    throw corrupted(zip, path, cause);
  }
  if (size !== entry.sizeBytes || crc !== entry.crc) throw corrupted(zip, path, new Error('other bytes than listed'));
  return new File(parts, path.slice(path.lastIndexOf('/') + 1), { lastModified: zip.lastModified });
}

/** The bytes begin behind the entry's own header, whose name and extra field may be longer or shorter than the directory's (4.3.7). */
async function dataStart(zip: File, entry: ZipEntry, path: string): Promise<number> {
  const header = await zip
    .slice(entry.offset, entry.offset + 30)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw corrupted(zip, path, cause);
    });
  const view = new DataView(header);
  if (view.byteLength < 30 || view.getUint32(0, true) !== 0x04034b50) {
    throw corrupted(zip, path, new Error('no header where the directory says'));
  }
  return entry.offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
}

function corrupted(zip: File, path: string, cause: unknown): SelectionUnreadable {
  return new SelectionUnreadable(`${path} in ${zip.name} is damaged. Make the ZIP anew, or drop the folder.`, {
    cause,
  });
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Computes the CRC-32 of a ZIP; `before` is that of the bytes in front of these. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
