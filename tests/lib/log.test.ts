import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createLog, type LogLevel, redactSecrets } from '../../server/lib/log.ts';
import { MAILED_LINK_PATHS } from '../../server/lib/mailed-links.ts';

function capture(level: LogLevel = 'info', isTerminal = false) {
  const lines: string[] = [];
  const log = createLog({
    level,
    isTerminal,
    write: (line) => void lines.push(line),
    now: () => new Date('2026-01-02T03:04:05Z'),
  });
  return { log, lines };
}

test('a line is one JSON object with time, level, message and the fields that are set', () => {
  const { log, lines } = capture();
  log.warn('Job failed', { jobId: 'j1', attempt: 2, isFinal: false, reason: undefined, next: null });
  expect(lines).toEqual([
    '{"at":"2026-01-02T03:04:05.000Z","level":"warn","message":"Job failed","jobId":"j1","attempt":2,"isFinal":false,"next":null}\n',
  ]);
});

test('a terminal gets a readable line', () => {
  const { log, lines } = capture('info', true);
  log.error('Database ended', { pid: 7 });
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d ERROR Database ended pid=7\n$/)]);
});

test('what is below the level is not written', () => {
  const { log, lines } = capture('warn');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(lines).toHaveLength(2);
});

test('control characters can neither forge a line nor move the cursor', () => {
  const { log, lines } = capture('info', true);
  log.info('name', { value: 'a\nERROR forged \u001b[2J\u009b\u2028' });
  expect(lines[0]).toContain('value=a\\u000aERROR forged \\u001b[2J\\u009b\\u2028');
  expect(lines[0]?.split('\n')).toHaveLength(2);
});

/** The canary stands where the secret would. */
const CANARY = 'cAnArY0123456789cAnArY';

test.each([
  `fla_${CANARY}`,
  `flt_${CANARY}`,
  `whsec_${CANARY}+/=`,
  `sk_live_${CANARY}`,
  `ghp_${CANARY}`,
  `Bearer ${CANARY}`,
  `authorization: Bearer ${CANARY}`,
  `Authorization: Token ${CANARY}`,
  `"authorization":"${CANARY}"`,
  `Cookie: fairlead_refresh=${CANARY}; other=${CANARY}`,
  `set-cookie: __Host-refresh=${CANARY}; HttpOnly`,
  `X-Auth-Token: ${CANARY}`,
  `x-new-access-token=${CANARY}`,
  ...Object.values(MAILED_LINK_PATHS).map((path) => `https://app.example.com${path}#${CANARY}`),
  `GET /auth/confirm?t=${CANARY}`,
  `GET /auth/callback?${CANARY}`,
  `/oauth?code=${CANARY}&state=${CANARY}`,
  `mongodb://fairlead:${CANARY}@127.0.0.1:27017/fairlead`,
  `smtp://user:${CANARY}@mail.example.com`,
  `{"password":"${CANARY}","accessToken":"${CANARY}"}`,
])('%s is struck out wherever it stands', (text) => {
  const { log, lines } = capture();
  log.error(`before ${text}`, { error: `inside ${text}`, url: text });
  expect(lines.join('')).not.toContain(CANARY);
  expect(lines.join('')).toContain('before');
});

test.each(['password', 'newPassword', 'authorization', 'cookie', 'accessToken', 'clientSecret', 'apiKey'])(
  'a field called %s is struck out whatever it holds',
  (name) => {
    const { log, lines } = capture();
    log.info('x', { [name]: CANARY });
    expect(lines.join('')).not.toContain(CANARY);
  },
);

test('ordinary text stays as it is', () => {
  const text =
    'Release 3 of my-site is live at http://my-site.localhost:3001/ (12 files, 3.4 MB); task_1 sketch_2 tokens=5';
  expect(redactSecrets(text)).toBe(text);
});

test.each([
  ['a full disk', '/dev/full'],
  ['a pipe that nobody reads any more', '>(true)'],
])('%s takes no line of the log, and ends nothing', async (_what, output) => {
  const program = `import { createLog, writerTo } from './server/lib/log.ts';
    const log = createLog({ level: 'info', isTerminal: false, write: writerTo(process.stdout) });
    for (let line = 0; line < 20; line += 1) {
      log.info('a line');
      await new Promise(setImmediate);
    }
    process.stderr.write('went on');`;
  // The reader of the pipe has ended before the program starts.
  const shell = `exec > ${output}; wait $!; exec "${process.execPath}" --import tsx --input-type=module -e "$PROGRAM"`;
  const { stderr } = await promisify(execFile)('bash', ['-c', shell], { env: { ...process.env, PROGRAM: program } });
  expect(stderr).toBe('went on');
});
