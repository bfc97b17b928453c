/** Hashes and checks passwords; Argon2id behind a semaphore (security facts, 1.7). Tests inject a cheap one. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** `overloaded` when the queue is full. A missing hash is checked against a dummy of the same cost. */
  verify(password: string, phc: string | null): Promise<{ matches: boolean; needsRehash: boolean }>;
};

/** Keys of this installation, by purpose; never written to a log, never sent anywhere. */
export type Secrets = {
  /** Kept in the database: an instance with other keys refuses to start. */
  readonly fingerprint: string;
  readonly currentKeyId: string;
  /** HMAC-SHA-256 in base64url under the key of that purpose; `keyId` defaults to the current one. */
  mac(purpose: 'refresh' | 'device' | 'disclaimer', text: string, keyId?: string): string;
  /** AES-256-GCM; `context` is `collection:documentId:field:accountId`, so that a moved ciphertext does not open. */
  seal(plaintext: string, context: string): string;
  open(sealed: string, context: string): string;
};
