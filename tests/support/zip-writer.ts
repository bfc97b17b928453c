import { crc32, deflateRawSync } from 'node:zlib';

/** Fields that both headers of an entry have (APPNOTE 4.3.7 and 4.3.12). */
export type ZipHeader = {
  signature: number;
  name: string | Buffer;
  flags: number;
  method: number;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  extra: Buffer;
};

export type ZipPart = Partial<ZipHeader> & {
  data?: string | Buffer;
  /** Written instead of the packed `data`. */
  packed?: Buffer;
  /** Behind the content: a data descriptor, or a gap. */
  behind?: Buffer;
  madeBy?: number;
  attributes?: number;
  comment?: Buffer;
  /** The place of the local header according to the directory. */
  offset?: number;
  /** Fields that only one of the two headers has otherwise. */
  local?: Partial<ZipHeader>;
  central?: Partial<ZipHeader>;
  /** No bytes of its own: the directory names those of another entry. */
  isGhost?: boolean;
};

export type ZipWhole = {
  prefix?: Buffer;
  suffix?: Buffer;
  comment?: Buffer;
  count?: number;
  directoryStart?: number;
  directoryBytes?: number;
  /** Between the last entry and the directory; between the directory and its end. */
  gap?: Buffer;
  /** A 64-bit end record in front of the other one. */
  zip64?:
    | { count?: number | bigint; directoryStart?: number | bigint; directoryBytes?: number | bigint; disks?: number }
    | undefined;
};

const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;

/** Little-endian numbers of these sizes, one after the other. */
export function fields(...values: (readonly [bytes: 2 | 4 | 8, value: number | bigint])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      if (bytes === 8) field.writeBigUInt64LE(BigInt(value));
      else field.writeUIntLE(Number(value), 0, bytes);
      return field;
    }),
  );
}

export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([fields([2, id], [2, data.length]), data]);
}

/** Returns a ZIP archive byte by byte, right unless it is told to be wrong; a string is a stored file of that name. */
export function writeZip(parts: readonly (string | ZipPart)[], whole: ZipWhole = {}): Buffer {
  const pieces: Buffer[] = [whole.prefix ?? Buffer.alloc(0)];
  const central: Buffer[] = [];
  let at = pieces[0]?.length ?? 0;
  for (const given of parts) {
    const part: ZipPart = typeof given === 'string' ? { name: given, data: `content of ${given}` } : given;
    const { header, packed } = headerOf(part);
    const start = at;
    if (part.isGhost !== true) {
      const bytes = [commonHeader(0x04034b50, { ...header, ...part.local }), packed, part.behind ?? Buffer.alloc(0)];
      pieces.push(...bytes);
      at += bytes.reduce((sum, { length }) => sum + length, 0);
    }
    central.push(centralHeader({ ...header, ...part.central }, part, part.offset ?? start));
  }
  const directory = Buffer.concat(central);
  const gap = whole.gap ?? Buffer.alloc(0);
  const directoryAt = at + gap.length;
  return Buffer.concat([
    ...pieces,
    gap,
    directory,
    endRecords({ count: parts.length, directoryAt, directoryBytes: directory.length }, whole),
    whole.suffix ?? Buffer.alloc(0),
  ]);
}

function headerOf(part: ZipPart): { header: Omit<ZipHeader, 'signature'>; packed: Buffer } {
  const data = Buffer.from(part.data ?? '');
  const method = part.method ?? 0;
  const packed = part.packed ?? (method === 8 ? deflateRawSync(data) : data);
  const header = {
    name: part.name ?? 'file.txt',
    flags: part.flags ?? 0x0800,
    method,
    crc: part.crc ?? crc32(data),
    packedBytes: part.packedBytes ?? packed.length,
    sizeBytes: part.sizeBytes ?? data.length,
    extra: part.extra ?? Buffer.alloc(0),
  };
  return { header, packed };
}

function commonHeader(signature: number, header: Omit<ZipHeader, 'signature'> & Partial<ZipHeader>): Buffer {
  const name = Buffer.from(header.name);
  return Buffer.concat([fields([4, header.signature ?? signature]), common(header, name), name, header.extra]);
}

function common(header: Omit<ZipHeader, 'signature'>, name: Buffer): Buffer {
  const { flags, method, crc, packedBytes, sizeBytes, extra } = header;
  return Buffer.concat([
    fields([2, 20], [2, flags], [2, method], [2, 0], [2, 0x5a21], [4, crc]),
    fields([4, packedBytes], [4, sizeBytes], [2, name.length], [2, extra.length]),
  ]);
}

function centralHeader(header: Omit<ZipHeader, 'signature'>, part: ZipPart, offset: number): Buffer {
  const name = Buffer.from(header.name);
  const comment = part.comment ?? Buffer.alloc(0);
  return Buffer.concat([
    fields([4, 0x02014b50], [2, part.madeBy ?? 0x031e]),
    common(header, name),
    fields([2, comment.length], [2, 0], [2, 0], [4, part.attributes ?? 0], [4, offset]),
    name,
    header.extra,
    comment,
  ]);
}

function endRecords(
  { count, directoryAt, directoryBytes }: { count: number; directoryAt: number; directoryBytes: number },
  whole: ZipWhole,
): Buffer {
  const comment = whole.comment ?? Buffer.alloc(0);
  const { zip64 } = whole;
  const shownCount = whole.count ?? (zip64 === undefined ? count : FULL_16);
  const shownStart = whole.directoryStart ?? (zip64 === undefined ? directoryAt : FULL_32);
  const entries = zip64?.count ?? count;
  const large = Buffer.concat([
    fields([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, entries], [8, entries]),
    fields([8, zip64?.directoryBytes ?? directoryBytes], [8, zip64?.directoryStart ?? directoryAt]),
    fields([4, 0x07064b50], [4, 0], [8, directoryAt + directoryBytes], [4, zip64?.disks ?? 1]),
  ]);
  return Buffer.concat([
    zip64 === undefined ? Buffer.alloc(0) : large,
    fields([4, 0x06054b50], [2, 0], [2, 0], [2, shownCount & FULL_16], [2, shownCount & FULL_16]),
    fields([4, whole.directoryBytes ?? directoryBytes], [4, shownStart], [2, comment.length]),
    comment,
  ]);
}
