/**
 * The web server that a site runs with at Heroku, as the text of its one file: it uses Node alone, so that nothing is
 * installed there. It follows `site.json`: each address with the SHA-256, size and media type of its content below
 * `files/`, and the routes of server/publishing/platforms/site-routes.ts. Contents are named by their hash, so that the archive
 * holds no names of the person's, and none can be taken for a file of the app.
 */
export const STATIC_SERVER = String.raw`import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';

const { files: list, routes } = JSON.parse(readFileSync('site.json', 'utf8'));
const files = new Map(list.map(([address, sha256, size, type]) => [address, { sha256, size, type }]));
const phases = { start: [], filesystem: [], error: [] };
let phase = 'start';
for (const route of routes) {
  if (route.handle) phase = route.handle;
  else phases[phase].push({ ...route, pattern: new RegExp(route.src) });
}

const GZIP_MIN_BYTES = 1024;
// Heroku's router keeps a connection for 90 seconds: the server must not close it first.
const KEEP_ALIVE_MS = 95_000;

function follow(candidates, path, headers) {
  for (const { pattern, dest, status, headers: set = {}, continue: goesOn } of candidates) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const fill = (text) => text.replace(/\$(\d+)/g, (_all, index) => match[Number(index)] ?? '');
    for (const [name, value] of Object.entries(set)) headers[name.toLowerCase()] = fill(value);
    if (!goesOn) return { status, path: dest === undefined ? undefined : fill(dest), leads: set.Location !== undefined };
  }
  return null;
}

function fileAt(path) {
  // An escaped slash does not separate (RFC 3986, section 2.2), and bytes that are not text name no file.
  const name = /%(2f|5c)/i.test(path) ? null : decoded(path)?.slice(1);
  if (name == null) return null;
  const folder = name === '' || name.endsWith('/') ? name : name + '/';
  if (files.has(name)) return { file: files.get(name) };
  if (files.has(folder + 'index.html')) {
    // Links of a page are relative to its folder, which the slash at the end names.
    return folder === name ? { file: files.get(folder + 'index.html') } : { location: path + '/' };
  }
  if (name.endsWith('/') && files.has(name.slice(0, -1))) return { location: path.slice(0, -1) };
  return null;
}

function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function answer(request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return end(response, 405, { allow: 'GET, HEAD' }, 'Method not allowed');
  }
  const [address, ...queries] = request.url.split('?');
  if (/%(?![0-9a-f]{2})/i.test(address)) return end(response, 400, {}, 'Bad request');
  const query = queries.length === 0 ? '' : '?' + queries.join('?');
  const headers = { 'cache-control': 'public, max-age=0, must-revalidate', 'x-content-type-options': 'nosniff' };
  let path = address;
  let status = 200;
  for (const name of ['start', 'filesystem']) {
    const hit = follow(phases[name], path, headers);
    if (hit?.leads) return lead(response, hit.status ?? 302, headers, query);
    path = hit?.path ?? path;
    status = hit?.status ?? status;
    const found = fileAt(path);
    if (found?.location !== undefined) return lead(response, 308, { ...headers, location: found.location }, query);
    if (found !== null) return sendFile(request, response, { status, headers, ...found.file });
  }
  const page = follow(phases.error, path, headers)?.path;
  const found = page === undefined ? null : fileAt(page);
  if (found?.file !== undefined) return sendFile(request, response, { status: 404, headers, ...found.file });
  return end(response, 404, headers, 'Not found');
}

function lead(response, status, headers, query) {
  const location = headers.location.includes('?') ? headers.location : headers.location + query;
  return end(response, status, { ...headers, location }, '');
}

function sendFile(request, response, { status, headers, sha256, size, type }) {
  const { range, 'if-range': ifRange, 'if-none-match': known = '', 'accept-encoding': accepted = '' } = request.headers;
  const etag = '"' + sha256 + '"';
  // A file that was already compressed when it was uploaded goes out as it is.
  const isText = type.endsWith('charset=utf-8') && size >= GZIP_MIN_BYTES && headers['content-encoding'] === undefined;
  const all = { 'content-type': type, ...headers, etag, 'accept-ranges': 'bytes', ...(isText && { vary: 'Accept-Encoding' }) };
  if (status === 200 && (known === '*' || known.includes(etag))) return end(response, 304, all, null);
  const isPart = status === 200 && range !== undefined && (ifRange === undefined || ifRange === etag);
  if (isText && !isPart && /\bgzip\b/.test(accepted)) {
    return stream(request, response, { status, sha256, size, isPacked: true, headers: { ...all, etag: 'W/' + etag, 'content-encoding': 'gzip' } });
  }
  const part = isPart ? partOf(range, size) : null;
  if (part === 'none') return end(response, 416, { ...all, 'content-range': 'bytes */' + size }, '');
  const { start, last } = part ?? { start: 0, last: size - 1 };
  all['content-length'] = String(last - start + 1);
  if (part === null) return stream(request, response, { status, sha256, size, headers: all });
  all['content-range'] = 'bytes ' + start + '-' + last + '/' + size;
  return stream(request, response, { status: 206, sha256, size, headers: all, part });
}

// Only one range is supported; several at once, and units other than bytes, get the whole file (RFC 9110, section
// 14.2).
function partOf(range, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range);
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const start = match[1] === '' ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = match[1] === '' || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  return start > last ? 'none' : { start, last };
}

function stream(request, response, { status, headers, sha256, size, part, isPacked = false }) {
  response.writeHead(status, headers);
  if (request.method === 'HEAD' || size === 0) return response.end();
  const source = createReadStream('files/' + sha256, part === undefined ? {} : { start: part.start, end: part.last });
  const steps = isPacked ? [createGzip()] : [];
  return pipeline([source, ...steps, response], () => {});
}

function end(response, status, headers, text) {
  const type = text ? { 'content-type': 'text/plain; charset=utf-8' } : {};
  response.writeHead(status, { ...headers, ...type });
  response.end(text ?? undefined);
}

const server = createServer((request, response) => {
  try {
    answer(request, response);
  } catch {
    // Node refuses to send this header.
    if (response.headersSent) response.destroy();
    else end(response, 400, {}, 'Bad request');
  }
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.headersTimeout = KEEP_ALIVE_MS + 1_000;
server.listen(process.env.PORT);
// Connections that are busy now will be idle later, and one that never sends a request would stay for ever.
process.once('SIGTERM', () => {
  server.close();
  setInterval(() => server.closeIdleConnections(), 100).unref();
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
});
`;
