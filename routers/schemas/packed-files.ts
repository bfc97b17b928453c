/** How a file is packed before it is uploaded, where browsers are to unpack it: by its name. */
export type Packing = {
  coding: 'br' | 'gzip';
  /** The name of what is in it, which tells the type. */
  inner: string;
};

/** The registration of image/svg+xml (W3C, SVG 1.1, appendix P) says so of this ending. */
const SVGZ = /\.svgz$/i;
/**
 * What Unity builds (Unity's manual, "Web server configuration"), also into the folder that pages of React have for it
 * (mars/create-react-app-buildpack, issue 199). Other names of packed scripts are left alone: pages
 * unpack them by themselves.
 */
const UNITY =
  /(?:\.framework\.js|\.symbols\.json|(?:^|\/)Build\/[^/]+\.(?:js|json)|(?:^|\/)[Bb]uild\/[^/]+\.(?:wasm|data|mem))\.(?:br|gz)$/;

/** What the framework of a build has beside it, whose name says in every folder what it is. */
const UNITY_PART = /\.(?:wasm|data|mem)\.(br|gz)$/;

/** `paths` are all files of the release. */
export function packingOf(path: string, paths: { has(path: string): boolean }): Packing | null {
  if (SVGZ.test(path)) return { coding: 'gzip', inner: path.slice(0, -1) };
  const isPart = UNITY_PART.test(path) && paths.has(path.replace(UNITY_PART, '.framework.js.$1'));
  if (!isPart && !UNITY.test(path)) return null;
  return { coding: path.endsWith('.br') ? 'br' : 'gzip', inner: path.slice(0, -'.br'.length) };
}
