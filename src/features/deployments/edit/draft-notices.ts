import { isOsJunk } from '../../../../routers/rules/uploads/left-out-files.ts';
import { isPrivateKey, KEY_READ_BYTES, mayBePrivateKey } from '../../../../routers/rules/uploads/private-keys.ts';
import { readUpload } from '../../../../routers/rules/uploads/upload-rules.ts';
import type { NameNotice } from '../../../../routers/schemas/name-notices.ts';
import { blobOf, sizeOf } from './content-size.ts';
import { type Draft, filesOf, leftOutOf } from './draft.ts';

export type LeftOut = { path: string; reason: string };

/** Returns everything that is left out of the release, including files of operating systems. */
export function allLeftOut(draft: Draft): LeftOut[] {
  const junk = [...draft.changes].filter(([path, { now }]) => now !== null && isOsJunk(path));
  const reason = 'A system file. It is not part of a website.';
  return [...junk.map(([path]) => ({ path, reason })), ...leftOutOf(draft)];
}

/** Returns notices about names, except those that the release already had. */
export function newNotices({ base, changes }: Draft): NameNotice[] {
  const said = new Set(noticesOf({ base, changes: new Map() }).map(({ paths }) => paths.join('\0')));
  return noticesOf({ base, changes }).filter(({ paths }) => !said.has(paths.join('\0')));
}

function noticesOf(draft: Draft): NameNotice[] {
  return readUpload([...filesOf(draft)].map(([path, content]) => ({ path, sizeBytes: sizeOf(content) }))).notices;
}

/** Returns the private keys among added files; typed text is checked as it is typed (draft.ts). */
export async function addedKeys({ changes }: Draft): Promise<string[]> {
  const keys: string[] = [];
  for (const [path, { now }] of changes) {
    const blob = now === null || !mayBePrivateKey(path) ? null : blobOf(now);
    if (blob === null) continue;
    const start = await blob.slice(0, KEY_READ_BYTES).arrayBuffer();
    if (isPrivateKey(path, new Uint8Array(start))) keys.push(path);
  }
  return keys;
}
