import { expect, test } from 'vitest';
import { createSecrets, newKeys, parseKeys } from '../../server/lib/crypto/secrets.ts';

const CONTEXT = 'connections:c1:token:a1';

test('what was sealed opens again under the same context', () => {
  const secrets = createSecrets(newKeys());
  for (const text of ['', 'token', 'ü🦊'.repeat(1000)])
    expect(secrets.open(secrets.seal(text, CONTEXT), CONTEXT)).toBe(text);
});

test('the same text is sealed differently each time, under the key in use', () => {
  const secrets = createSecrets(newKeys());
  const sealed = secrets.seal('token', CONTEXT);
  expect(sealed).toMatch(new RegExp(`^v1\\.${secrets.currentKeyId}\\.[\\w-]{16}\\.[\\w-]+\\.[\\w-]{22}$`));
  expect(secrets.seal('token', CONTEXT)).not.toBe(sealed);
});

test('a sealed text does not open in another row, changed, cut short, or under other keys', () => {
  const secrets = createSecrets(newKeys());
  const sealed = secrets.seal('token', CONTEXT);
  const [version, key, iv, text, tag = ''] = sealed.split('.');
  expect(() => secrets.open(sealed, 'connections:c2:token:a1')).toThrow();
  expect(() => secrets.open([version, key, iv, 'AAAAAAA', tag].join('.'), CONTEXT)).toThrow();
  const shortTag = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url');
  expect(() => secrets.open([version, key, iv, text, shortTag].join('.'), CONTEXT)).toThrow();
  expect(() => secrets.open(`${sealed}.x`, CONTEXT)).toThrow();
  expect(() => secrets.open('nonsense', CONTEXT)).toThrow();
  expect(() => createSecrets(newKeys()).open(sealed, CONTEXT)).toThrow(/not among the keys/);
});

test('an older key still opens, and the current one seals', () => {
  const old = newKeys();
  const fresh = newKeys();
  const sealed = createSecrets(old).seal('token', CONTEXT);
  const both = createSecrets({ current: fresh.current, keys: { ...old.keys, ...fresh.keys } });
  expect(both.open(sealed, CONTEXT)).toBe('token');
  expect(both.seal('token', CONTEXT)).toMatch(new RegExp(`^v1\\.${fresh.current}\\.`));
});

test('a mac belongs to its purpose, its key and its text', () => {
  const keys = newKeys();
  const secrets = createSecrets(keys);
  const mac = secrets.mac('refresh', 's1.3');
  expect(mac).toMatch(/^[\w-]{43}$/);
  expect(createSecrets(keys).mac('refresh', 's1.3', keys.current)).toBe(mac);
  expect(secrets.mac('device', 's1.3')).not.toBe(mac);
  expect(secrets.mac('refresh', 's1.4')).not.toBe(mac);
  expect(createSecrets(newKeys()).mac('refresh', 's1.3')).not.toBe(mac);
});

test('under the id of no key nothing matches, not even in another process', () => {
  const keys = newKeys();
  const one = createSecrets(keys).mac('refresh', 's1.3', 'nobody');
  expect(createSecrets(keys).mac('refresh', 's1.3', 'nobody')).not.toBe(one);
  expect(createSecrets(keys).mac('refresh', 's1.3', '__proto__')).not.toBe(one);
});

test('the fingerprint names the set of keys, whichever is in use', () => {
  const old = newKeys();
  const fresh = newKeys();
  const keys = { ...old.keys, ...fresh.keys };
  const fingerprint = createSecrets({ current: old.current, keys }).fingerprint;
  expect(createSecrets({ current: fresh.current, keys }).fingerprint).toBe(fingerprint);
  expect(createSecrets(old).fingerprint).not.toBe(fingerprint);
});

test.each([
  ['not JSON', '{'],
  ['no object', '"keys"'],
  ['no current key', '{"keys":{}}'],
  ['a current key that is not there', JSON.stringify({ ...newKeys(), current: 'other' })],
  ['a key that is too short', '{"current":"a","keys":{"a":"c2hvcnQ"}}'],
  ['an id that would break a sealed text', JSON.stringify({ current: 'a.b', keys: { 'a.b': 'A'.repeat(43) } })],
])('keys with %s are not taken', (_what, text) => {
  expect(parseKeys(text)).toBeNull();
});

test('keys survive being written down', () => {
  const keys = newKeys();
  expect(parseKeys(JSON.stringify(keys))).toEqual(keys);
});
