import { expect, test } from 'vitest';
import { domainNameIn } from '../../routers/schemas/domain-name.ts';

test.each([
  ['example.com', 'example.com'],
  [' Example.COM. ', 'example.com'],
  ['https://Müller.example:8443/shop?a=http://b', 'xn--mller-kva.example'],
  ['http://anna:secret@www.example.com/', 'www.example.com'],
  ['ftp://files.example.com', 'files.example.com'],
  ['example.com/path', 'example.com'],
  ['example.com/@anna?to=http://b.example', 'example.com'],
  ['MÜLLER.TEST.', 'xn--mller-kva.test'],
  ['mu\u0308ller.test', 'xn--mller-kva.test'],
  ['faß.test', 'xn--fa-hia.test'],
  ['日本語。test', 'xn--wgv71a119e.test'],
])('of what is typed the host name is taken: %s', (text, name) => {
  expect(domainNameIn(text)).toBe(name);
});

test.each([
  '',
  'localhost',
  'example..com',
  'foo bar.com',
  'gamma.test\u0000',
  'gam\nma.test',
  'mailto:a@eps.test',
  'user@mail.test',
  'user@mail.test?to=http://b.example',
  'a_b.example',
  '*.example.com',
  '-a.com',
  '127.0.0.1',
  '0x7f.1',
  'http://[::1]/',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  'x'.repeat(5_000),
])('what holds no name of a domain is refused: %s', (text) => {
  expect(domainNameIn(text)).toBe(null);
});
