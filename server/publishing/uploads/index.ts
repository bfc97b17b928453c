/**
 * Receives files. A manifest announces paths and hashes; only files that the account has not stored before are sent,
 * each under its hash, or many small ones in one body. They belong to no site until a release is made of them.
 */
export { missingOfUpload, receiveBundle } from './bundle.ts';
export { entriesOf } from './entries.ts';
export { receiveFile } from './file.ts';
export { receiveManifest } from './manifest.ts';
export { missingHashes } from './missing.ts';
export { findOpenUpload, openUpload, quietEnd, requireUnchanged, uploadChanged } from './open.ts';
export { KEYS_A_REQUEST, privateKeyRefusal, refusePrivateKeys } from './private-keys.ts';
export { readRoom } from './room.ts';
export { countBytes, requireRoomForRow, requireRoomToSend } from './storage-quota.ts';
export { recountUnconfirmedBytes } from './unconfirmed.ts';
export { arrivedOfZip, receiveZip, type SentZip } from './zip.ts';
