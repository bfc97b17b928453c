import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../server/database/embedded/mongod-process.ts';
import { pinned, type Served, stopChild } from './harness.ts';

const START_TIMEOUT_MS = 10_000;

/** The files of a certificate in PEM. */
export type Pair = { certFile: string; keyFile: string };
export type FileServer = { name: string; version: string; start(folder: string): Promise<Served> };

/** Returns the installed servers, over TLS and HTTP/2 if a certificate is given, and for the others how to get them. */
export function findFileServers(pair?: Pair): { servers: FileServer[]; absent: string[] } {
  const servers: FileServer[] = [];
  const absent: string[] = [];
  const nginx = versionOf(['nginx', '/usr/sbin/nginx'], ['-v']);
  if (nginx === null) absent.push('nginx is not installed (apt install nginx-light): its rows are left out.');
  else
    servers.push({ name: 'nginx', version: nginx.version, start: (folder) => startNginx(nginx.program, folder, pair) });
  const caddy = versionOf(['caddy', '/usr/bin/caddy'], ['version']);
  if (caddy === null) absent.push('Caddy is not installed (apt install caddy): its rows are left out.');
  else
    servers.push({ name: 'Caddy', version: caddy.version, start: (folder) => startCaddy(caddy.program, folder, pair) });
  return { servers, absent };
}

function versionOf(programs: readonly string[], args: string[]): { program: string; version: string } | null {
  for (const program of programs) {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) return { program, version: (stdout || stderr).trim().split('\n')[0] ?? '' };
  }
  return null;
}

/** One process, sendfile, descriptors kept open, the access log in a buffer. */
async function startNginx(program: string, folder: string, pair?: Pair): Promise<Served> {
  const place = await mkdtemp(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${place};`);
  const tls = pair && `ssl_certificate ${pair.certFile}; ssl_certificate_key ${pair.keyFile};`;
  const config = `daemon off; master_process off; worker_processes 1; pid ${place}/pid; error_log ${place}/errors;
events { worker_connections 1024; }
http {
  ${temporary.join(' ')}
  types { text/html html; text/css css; }
  sendfile on; tcp_nopush on; keepalive_requests 1000;
  open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
  access_log ${place}/access combined buffer=64k flush=5s;
  server { listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl http2'}; root ${folder}; ${tls ?? ''} }
}
`;
  await writeFile(join(place, 'nginx.conf'), config);
  return startProgram(program, ['-p', place, '-c', join(place, 'nginx.conf')], port, {});
}

async function startCaddy(program: string, folder: string, pair?: Pair): Promise<Served> {
  const place = await mkdtemp(join(tmpdir(), 'caddy-'));
  const port = await freePort();
  const site = pair === undefined ? `http://127.0.0.1:${port}` : `https://*.localhost:${port}`;
  const tls = pair === undefined ? '' : `  bind 127.0.0.1\n  tls ${pair.certFile} ${pair.keyFile}\n`;
  const config = `{\n  admin off\n  auto_https off\n}\n${site} {\n${tls}  root * ${folder}\n  file_server\n}\n`;
  await writeFile(join(place, 'Caddyfile'), config);
  const env = { GOMAXPROCS: '1', HOME: place, XDG_DATA_HOME: place, XDG_CONFIG_HOME: place };
  return startProgram(program, ['run', '--config', join(place, 'Caddyfile'), '--adapter', 'caddyfile'], port, env);
}

async function startProgram(
  program: string,
  args: string[],
  port: number,
  env: Record<string, string>,
): Promise<Served> {
  const [first = program, ...rest] = pinned(0, [program, ...args]);
  const child = spawn(first, rest, { stdio: 'ignore', env: { ...process.env, ...env } });
  await untilListening(child, port, program);
  return { port, pid: child.pid ?? 0, child, facts: { host: `127.0.0.1:${port}` }, stop: () => stopChild(child) };
}

async function untilListening(child: ChildProcess, port: number, program: string): Promise<void> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended before it listened.`);
    if (performance.now() > giveUpAt) throw new Error(`${program} does not listen.`);
    await wait(50);
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
