/** Media types by extension: our own table, never guessed from the bytes (security facts, 3.4). */
const TEXT = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  cjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  jsonld: 'application/ld+json',
  geojson: 'application/geo+json',
  webmanifest: 'application/manifest+json',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  xsl: 'application/xslt+xml',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  gltf: 'model/gltf+json',
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
} as const;

const BINARY = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jfif: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  apng: 'image/apng',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  cur: 'image/x-icon',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  heic: 'image/heic',
  jxl: 'image/jxl',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  eot: 'application/vnd.ms-fontobject',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  weba: 'audio/webm',
  mid: 'audio/midi',
  midi: 'audio/midi',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  m4s: 'video/iso.segment',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
  ts: 'video/mp2t',
  pdf: 'application/pdf',
  wasm: 'application/wasm',
  zip: 'application/zip',
  gz: 'application/gzip',
  tar: 'application/x-tar',
  '7z': 'application/x-7z-compressed',
  rar: 'application/vnd.rar',
  bz2: 'application/x-bzip2',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  glb: 'model/gltf-binary',
  ktx2: 'image/ktx2',
  apk: 'application/vnd.android.package-archive',
  dmg: 'application/x-apple-diskimage',
  swf: 'application/x-shockwave-flash',
} as const;

const CHARSET = '; charset=utf-8';
const TYPES = new Map<string, string>([
  ...Object.entries(TEXT).map(([extension, type]) => [extension, `${type}${CHARSET}`] as const),
  ...Object.entries(BINARY),
]);

/** Names that have no extension of their own but a known content. */
const BY_NAME = new Map([
  ['apple-app-site-association', 'application/json; charset=utf-8'],
  ['cname', 'text/plain; charset=utf-8'],
  ['robots.txt', 'text/plain; charset=utf-8'],
]);

const UNKNOWN_TYPE = 'application/octet-stream';

/** By its name alone: the content is never looked at. */
export function contentTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return BY_NAME.get(name) ?? TYPES.get(extensionOf(name)) ?? UNKNOWN_TYPE;
}

/** Whether compressing it is worth a try. */
export function isTextPath(path: string): boolean {
  return contentTypeOf(path).endsWith(CHARSET);
}

/** In lower case, without its dot; empty for `README` and for `.htaccess`. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
