import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createChangeFeed } from '../../server/database/change-feed.ts';
import { createLog } from '../../server/lib/log.ts';
import { createTestApp } from '../support/app.ts';
import { listen } from '../support/listen.ts';

const run = promisify(execFile);
const ROOT = resolve('.');
/** Packages that a script needs beside the client: what it imports, and the types of Node. */
const NEEDED = ['@trpc/client', '@trpc/server', 'superjson', 'ws', '@types/node', 'undici-types'];

const SCRIPT = `
import { createFairleadClient } from 'fairlead/client';

const client = createFairleadClient({ url: process.env.FAIRLEAD_URL ?? '', token: process.env.FAIRLEAD_TOKEN ?? '' });
const username: string = (await client.user.get.query()).username;
const seen: string[] = [];
await new Promise<void>((resolve, reject) => {
  client.events.stream.subscribe({}, {
    onData: ({ id, data }) => {
      seen.push(data.type === 'notification' ? \`\${id} \${data.message}\` : \`\${id} \${data.type}\`);
      if (data.type === 'ready') client.events.sendTest.mutate({ message: 'from a script' }).catch(reject);
      if (data.type === 'notification') resolve();
    },
    onError: reject,
  });
});
const refused = await client.tokens.list.query().catch((error: { data: { code: string } }) => error.data.code);
console.log(JSON.stringify({ username, seen, refused }));
await client.close();
`;

const WRONG = `
import { createFairleadClient } from 'fairlead/client';

const client = createFairleadClient({ url: '', token: '' });
// @ts-expect-error: no such procedure
client.deployments.explode.mutate;
// @ts-expect-error: no such router
client.nothing;
// @ts-expect-error: a name is a text
client.deployments.create.mutate({ name: 5, platform: 'built-in' });
// @ts-expect-error: no such platform
client.deployments.create.mutate({ name: 'a', platform: 'nowhere' });
// @ts-expect-error: a list has no field of this name
(await client.deployments.list.query()).nothing;
// @ts-expect-error: the token is missing
createFairleadClient({ url: '' });
`;

/**
 * An empty folder with the packed client as npm would unpack it. Its dependencies are linked from here instead of
 * installed: the package as a whole lists those of the server too, and a test has no business with a registry.
 */
async function consumerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-client-'));
  const source = join(folder, 'source');
  await mkdir(source, { recursive: true });
  await cp(join(ROOT, 'package.json'), join(source, 'package.json'));
  await cp(join(ROOT, 'dist/client'), join(source, 'dist/client'), { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: source });

  const installed = join(folder, 'script/node_modules/fairlead');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, 'fairlead-0.1.0.tgz'), '-C', installed, '--strip-components=1']);
  await rm(source, { recursive: true });
  for (const name of NEEDED) {
    const target = join(folder, 'script/node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), target);
  }
  return folder;
}

test('a script outside the repository has the whole router typed, and calls it by an API token', async () => {
  const log = createLog({ level: 'error', isTerminal: false, write: () => undefined });
  await using app = await createTestApp({ changes: createChangeFeed(log) });
  await using listener = await listen(app);
  const person = await app.person();
  const { secret } = await person.caller.tokens.create({
    name: 'ci',
    scopes: ['read', 'write'],
    currentPassword: person.password,
  });
  const folder = await consumerFolder();
  try {
    const script = join(folder, 'script');
    const client = join(script, 'node_modules/fairlead/dist/client');
    const code = await readFile(join(client, 'client.js'), 'utf8');
    const types = await readFile(join(client, 'client.d.ts'), 'utf8');
    expect(importsOf(code)).toEqual(['@trpc/client', 'superjson', 'ws']);
    expect(importsOf(types).filter((name) => !name.startsWith('@trpc/'))).toEqual([]);

    await writeFile(join(script, 'package.json'), '{"type":"module"}');
    await writeFile(join(script, 'script.ts'), SCRIPT);
    await writeFile(join(script, 'wrong.ts'), WRONG);
    await writeFile(join(script, 'readme.ts'), await readmeExamples());
    const compilerOptions = { strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2023', types: ['node'] };
    await writeFile(
      join(script, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['script.ts', 'wrong.ts', 'readme.ts'] }),
    );
    const compiled = await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', script]).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');

    const env = { ...process.env, FAIRLEAD_URL: listener.url, FAIRLEAD_TOKEN: secret };
    const { stdout } = await run(process.execPath, [join(script, 'script.js')], { env });
    expect(JSON.parse(stdout)).toEqual({
      username: person.user.username,
      seen: [expect.stringMatching(/^\d+ ready$/), expect.stringMatching(/^\d+ from a script$/)],
      refused: 'session_required',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Returns the examples that a person copies into one file. */
async function readmeExamples(): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? '');
  expect(examples).toHaveLength(3);
  return examples.join('\n');
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import\()\s*["']([^"']+)["']/g)].map((match) => match[1] ?? '').sort();
}
