/** These rules decide which offered files are not published: pure, over names. */

/**
 * Streams of a file become files of their own on systems without streams (MS-FSCC, 2.1.5): the mark of Windows for
 * downloads, and notes of Explorer, Dropbox and file shares. WSL writes U+F03A for a colon.
 */
const STREAM =
  /(?:[:\uf03a](?:zone\.identifier|smartscreen|com\.dropbox\.attr(?:ibute)?s|afp_(?:afpinfo|resource))|(?:^|\/)thumbs\.db[:\uf03a]encryptable)(?::\$data)?$/i;
/** The Finder's icon of a folder ends in a line break, for which shares of Windows write U+F00D. */
const SYSTEM_FILE = /^(?:\._.*|\.ds_store|thumbs\.db|ehthumbs\.db|desktop\.ini|icon[\r\uf00d])$/is;

/**
 * Netatalk and Synology keep metadata for a Mac and a gallery in folders beside each file, under the file's own name.
 */
const FOLDER_OF_SHARES = /(?:^|\/)(?:\.appledouble|@eadir)\//i;

/** Returns whether an operating system left this file: these are dropped, and only counted. */
export function isOsJunk(path: string): boolean {
  if (path.startsWith('__MACOSX/') || FOLDER_OF_SHARES.test(path)) return true;
  return SYSTEM_FILE.test(path.slice(path.lastIndexOf('/') + 1)) || STREAM.test(path);
}

type LeftOutRule = { pattern: RegExp; reason: string; isPublishable: boolean };

/**
 * Files that often end up in a folder by mistake and that open accounts or machines once they are public. Each pattern
 * is matched against every segment of the lower-case path; the first match decides.
 */
const LEFT_OUT: readonly LeftOutRule[] = [
  { pattern: /^\.git$/, reason: 'The history of the project (Git). It cannot be published.', isPublishable: false },
  {
    pattern: /^(id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(p12|pfx|ppk))$/,
    reason: 'A private key. It cannot be published.',
    isPublishable: false,
  },
  {
    // WordPress writes the second: no static host runs it, so it would be sent as text, password and all.
    pattern: /^(\.env(\..*)?|wp-config\.php)$/,
    reason: 'Settings that usually hold passwords and keys.',
    isPublishable: true,
  },
  { pattern: /^\.(svn|hg)$/, reason: 'The history of the project.', isPublishable: true },
  { pattern: /^\.(ssh|aws)$/, reason: 'Keys to servers and accounts.', isPublishable: true },
  { pattern: /^\.(npmrc|netrc|htpasswd)$/, reason: 'A file that usually holds passwords.', isPublishable: true },
  { pattern: /\.(sql|sqlite3?)$/, reason: 'A database.', isPublishable: true },
  { pattern: /\.bak$/, reason: 'A backup copy.', isPublishable: true },
];

/**
 * The packages of a project, at its top only: further in, a build may have put them on purpose, as Expo does with
 * `assets/node_modules`.
 */
export const PACKAGES_LEFT_OUT: LeftOutRule = {
  pattern: /^node_modules$/,
  reason: 'The packages that the project is built with. Visitors do not need them.',
  isPublishable: true,
};

/** A symbolic link, which is never followed: its target may be a file of the machine that reads it. */
export const LINK_LEFT_OUT: Pick<LeftOutRule, 'reason' | 'isPublishable'> = {
  reason: 'A symbolic link to another file, which is not followed. Put the file itself in its place.',
  isPublishable: false,
};

/**
 * Returns why a path is not published unless the person insists, or null; with `isPublishable` false, not even then.
 */
export function leftOutRule(path: string): LeftOutRule | null {
  const segments = path.toLowerCase().split('/');
  for (const rule of LEFT_OUT) {
    if (segments.some((segment) => rule.pattern.test(segment))) return rule;
  }
  return segments.length > 1 && PACKAGES_LEFT_OUT.pattern.test(segments[0] ?? '') ? PACKAGES_LEFT_OUT : null;
}

/** Returns the folder that is left out as a whole, if it is the reason for this path; else the path. */
export function leftOutPart(path: string): string {
  const pattern = leftOutRule(path)?.pattern;
  const segments = path.split('/');
  const at = segments.findIndex((segment) => pattern?.test(segment.toLowerCase()) === true);
  return at === -1 ? path : segments.slice(0, at + 1).join('/');
}
