import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Hashes and checks passwords; Argon2id behind a semaphore. Tests inject a cheap one. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** Throws `overloaded` when the queue is full. A missing hash is checked against a dummy of the same cost. */
  verify(password: string, phc: string | null): Promise<{ matches: boolean; needsRehash: boolean }>;
  /**
   * Makes a hash that no password has, for an account whose password is revoked and whose next one is not chosen yet.
   */
  noPassword(): string;
};

/** Keys of this installation, by purpose; never written to a log, never sent anywhere. */
export type Secrets = {
  /** Stored in the database: an instance with other keys refuses to start. */
  readonly fingerprint: string;
  readonly currentKeyId: string;
  /** Returns an HMAC-SHA-256 in base64url under the key of that purpose; `keyId` defaults to the current one. */
  mac(purpose: 'refresh' | 'device', text: string, keyId?: string): string;
  /**
   * Encrypts with AES-256-GCM; `context` is `collection:documentId:field:accountId`, so that a ciphertext that was
   * moved does not open.
   */
  seal(plaintext: string, context: string): string;
  open(sealed: string, context: string): string;
};

/** The content of `keys.json` and of FAIRLEAD_KEYS: root keys by id, 32 bytes each in base64url, and the one in use. */
export type Keys = { current: string; keys: Record<string, string> };

const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Set explicitly: otherwise Node accepts a tag of 4 bytes. */
const TAG_BYTES = 16;
const SEAL_VERSION = 'v1';
const KEY_ID = /^[a-z0-9]{1,32}$/;

/** Makes fresh keys, one of them in use. */
export function newKeys(): Keys {
  const id = randomBytes(4).toString('hex');
  return { current: id, keys: { [id]: randomBytes(KEY_BYTES).toString('base64url') } };
}

/** Reads the JSON of keys; returns null unless it has the form that `newKeys` writes. */
export function parseKeys(text: string): Keys | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('current' in value && 'keys' in value)) return null;
  const { current, keys } = value;
  if (typeof current !== 'string' || typeof keys !== 'object' || keys === null) return null;
  const entries: [string, string][] = [];
  for (const [id, key] of Object.entries(keys)) {
    if (!KEY_ID.test(id) || typeof key !== 'string' || Buffer.from(key, 'base64url').length !== KEY_BYTES) return null;
    entries.push([id, key]);
  }
  return entries.some(([id]) => id === current) ? { current, keys: Object.fromEntries(entries) } : null;
}

/**
 * Creates the secrets of an installation. Every purpose has a key of its own, derived from the root key, so that a
 * value made for one never passes for another. Throws when a text was sealed under a key that is not here, was changed,
 * or was sealed for another context.
 */
export function createSecrets(keys: Keys): Secrets {
  const derived = new Map<string, Buffer>();
  const ownerless = randomBytes(KEY_BYTES);

  function keyFor(purpose: string, keyId: string): Buffer | undefined {
    const root = Object.hasOwn(keys.keys, keyId) ? keys.keys[keyId] : undefined;
    if (root === undefined) return undefined;
    const name = `${keyId}:${purpose}`;
    const known = derived.get(name);
    if (known !== undefined) return known;
    const made = Buffer.from(hkdfSync('sha256', Buffer.from(root, 'base64url'), '', `fairlead:${purpose}`, KEY_BYTES));
    derived.set(name, made);
    return made;
  }

  function sealKey(keyId: string): Buffer {
    const key = keyFor('seal', keyId);
    if (key === undefined) throw new Error(`The key "${keyId}" that sealed this text is not among the keys.`);
    return key;
  }

  return {
    fingerprint: fingerprintOf(keys),
    currentKeyId: keys.current,
    // A value from outside can name any id, and under an unknown one nothing may match.
    mac: (purpose, text, keyId = keys.current) =>
      createHmac('sha256', keyFor(purpose, keyId) ?? ownerless)
        .update(text)
        .digest('base64url'),
    seal(plaintext, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey(keys.current), iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context, 'utf8'));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
      return [SEAL_VERSION, keys.current, ...parts].join('.');
    },
    open(sealed, context) {
      const [version, keyId = '', iv = '', ciphertext = '', tag = '', ...rest] = sealed.split('.');
      if (version !== SEAL_VERSION || rest.length > 0) throw new Error('This is not a sealed text.');
      const decipher = createDecipheriv('aes-256-gcm', sealKey(keyId), Buffer.from(iv, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context, 'utf8'));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()]).toString('utf8');
    },
  };
}

/** Returns a fingerprint that reveals none of the keys: it is the same for the same set, whichever is in use. */
function fingerprintOf(keys: Keys): string {
  const hash = createHash('sha256');
  for (const [id, key] of Object.entries(keys.keys).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash
      .update(id)
      .update(Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64url'), '', 'fairlead:fingerprint', KEY_BYTES)));
  }
  return hash.digest('base64url').slice(0, 22);
}
