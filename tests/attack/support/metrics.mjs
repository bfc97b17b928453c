import { rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, Server } from 'node:net';
import os from 'node:os';
import { watchLoop } from '../../support/held-loop.mjs';

/**
 * A preload that measures a process from inside: `node --expose-gc --import ./tests/attack/support/metrics.mjs …`. A
 * client of the UNIX socket at `METRICS_SOCKET` gets one line of JSON: the event loop delay since the last reading,
 * the memory that is still held after a collection, and the ports on which this process listens. The socket is opened
 * with the first port, so that of several processes the one answers that serves.
 */
const loop = watchLoop();
// The built-in host's cache of files has an eighth of the machine's memory. It is small here, and soon full: what grows
// beyond it is no cache.
os.totalmem = () => 64 * 1024 ** 2;
syncBuiltinESMExports();
const ports = new Set();
const { listen } = Server.prototype;
let _metrics;

Server.prototype.listen = function listenAndTell(...args) {
  this.once('listening', () => {
    const { port } = this.address();
    ports.add(port);
    this.once('close', () => ports.delete(port));
    _metrics ??= openMetrics(process.env.METRICS_SOCKET);
  });
  return listen.apply(this, args);
};

function openMetrics(path) {
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(`${JSON.stringify(reading())}\n`);
  });
  listen.call(server, path);
  return server.unref();
}

function reading() {
  const { p99Ms, maxMs } = loop.read();
  globalThis.gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  // The collection held the loop up itself.
  loop.reset();
  return {
    pid: process.pid,
    p99Ms,
    maxMs,
    heapBytes: heapUsed + external - arrayBuffers,
    bufferBytes: arrayBuffers,
    ports: [...ports],
  };
}
