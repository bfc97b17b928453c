/** The compression of a file that was compressed before the upload and that browsers should unpack, by its name. */
export type Packing = {
  coding: 'br' | 'gzip';
  /** The name of its content, which gives the type. */
  inner: string;
};

/** The registration of image/svg+xml (W3C, SVG 1.1, appendix P) defines this ending. */
const SVGZ = /\.svgz$/i;
/**
 * Files of Unity's builds (Unity's manual, "Web server configuration"), also in the folder that React pages have for
 * them (mars/create-react-app-buildpack, issue 199). Other compressed scripts are left alone: pages unpack them by
 * themselves.
 */
const UNITY =
  /(?:\.framework\.js|\.symbols\.json|(?:^|\/)Build\/[^/]+\.(?:js|json)|(?:^|\/)[Bb]uild\/[^/]+\.(?:wasm|data|mem))\.(?:br|gz)$/;

/** Further files beside a build's framework, whose names identify them in any folder. */
const UNITY_PART = /\.(?:wasm|data|mem)\.(br|gz)$/;

/** Returns how a file is compressed, or null; `paths` are all files of the release. */
export function packingOf(path: string, paths: { has(path: string): boolean }): Packing | null {
  if (SVGZ.test(path)) return { coding: 'gzip', inner: path.slice(0, -1) };
  const isPart = UNITY_PART.test(path) && paths.has(path.replace(UNITY_PART, '.framework.js.$1'));
  if (!isPart && !UNITY.test(path)) return null;
  return { coding: path.endsWith('.br') ? 'br' : 'gzip', inner: path.slice(0, -'.br'.length) };
}
