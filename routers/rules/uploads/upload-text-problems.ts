import { formatCount } from '../../schemas/format-count.ts';
import { MISSING_LINKS_MAX } from '../../schemas/limits.ts';
import type { UploadKind } from '../../schemas/recommendations.ts';
import { parseHeaders } from '../hosting/headers-file.ts';
import { createRedirectTable, parseRedirects } from '../hosting/redirects-file.ts';
import { LISTED_PLACES } from './root-link-problem.ts';
import { findScriptLinks } from './script-references.ts';
import { isServedPath } from './served-path.ts';
import type { BrokenLink, ProblemCode, ProblemPlace, UploadInspection, UploadProblem } from './upload-inspection.ts';
import { checkLinks, type FoundLink, findLinks, type LinkFault, mayHoldLinks } from './upload-links.ts';
import type { OfferedFile } from './upload-rules.ts';
import { type FoundToken, findTokens, mayHoldTokens, TOKEN_NAMES } from './upload-tokens.ts';
import { findWholeAddresses, wholeAddressSteps } from './whole-addresses.ts';

/** Findings in the text of one file that a person should know. */
export type TextFindings = {
  tokens: readonly FoundToken[];
  links: readonly FoundLink[];
  /** Files that a page loads by an absolute address. */
  addresses: readonly FoundLink[];
};

/** Returns whether the text of a file is worth reading. */
export function isInspectable(file: OfferedFile): boolean {
  return mayHoldTokens(file) || mayHoldLinks(file);
}

/** Texts beyond these limits are not read, so that a huge upload takes seconds. */
const READ_MAX = { files: 5_000, bytes: 64 * 1024 * 1024 };

/** Returns the texts that are worth reading, up to the limits; `unreadCount` is the number of the others. */
export function textsToRead<File extends OfferedFile>(
  files: readonly File[],
  maxFileBytes = Number.POSITIVE_INFINITY,
): { chosen: File[]; unreadCount: number } {
  const wanted = files.filter(isInspectable);
  let bytes = 0;
  const chosen = wanted
    .filter(({ sizeBytes }) => sizeBytes < maxFileBytes)
    .slice(0, READ_MAX.files)
    .filter(({ sizeBytes }) => {
      bytes += sizeBytes;
      return bytes <= READ_MAX.bytes;
    });
  return { chosen, unreadCount: wanted.length - chosen.length };
}

/** Returns possible problems in one file of an upload: secret tokens, and links that may lead nowhere. */
export function inspectText(file: OfferedFile, text: string): TextFindings {
  return {
    tokens: mayHoldTokens(file) ? findTokens(text) : [],
    links: mayHoldLinks(file) ? [...findLinks(file.path, text), ...findScriptLinks(file.path, text)] : [],
    addresses: mayHoldLinks(file) ? findWholeAddresses(file.path, text) : [],
  };
}

/** Checking this many takes some milliseconds at most, even if each has the greatest length. */
const LINKS_A_STEP = 20;

/**
 * Yields while it finds the problems in the texts of an upload, by path: keys first, they cost most. `below` is the
 * folder that the site was built for.
 */
export function* textProblemSteps(
  files: readonly OfferedFile[],
  texts: ReadonlyMap<string, string>,
  looks: ReadonlyMap<string, TextFindings>,
  { kind, below, isSinglePage }: { kind: UploadKind; below: string | null; isSinglePage: boolean },
): Generator<void, Pick<UploadInspection, 'problems' | 'brokenLinks'>> {
  // The build resolves the links of source files.
  if (kind === 'source') return { problems: tokenProblems(looks), brokenLinks: [] };
  const all = new Set(files.map(({ path }) => path));
  const paths = new Set([...all].filter((path) => isServedPath(path, all)));
  const folded = new Map([...paths].map((path) => [path.toLowerCase(), path]));
  const empty = new Set(files.filter(showsNothing).map(({ path }) => path));
  const mayBeAnswered = isSinglePage ? () => true : answersOf(all, texts, kind);
  const faults: PlacedLinkFault[] = [];
  for (const [path, { links }] of looks) {
    for (let start = 0; start < links.length; start += LINKS_A_STEP) {
      const some = checkLinks(path, links.slice(start, start + LINKS_A_STEP), { paths, folded, empty, below })
        .filter(({ link, leadsTo, state }) => !link.isPage || state !== 'broken' || !mayBeAnswered(leadsTo))
        .map((fault) => ({ ...fault, path }));
      faults.push(...some);
      yield;
    }
  }
  const addresses = yield* wholeAddressSteps(looks, paths);
  return {
    problems: [...tokenProblems(looks), ...linkProblems(faults), ...addresses],
    brokenLinks: brokenLinksAmong(faults),
  };
}

/** Names a link once that a line has more than once. */
function brokenLinksAmong(faults: readonly PlacedLinkFault[]): BrokenLink[] {
  const links = faults
    .filter(({ state }) => state === 'broken' || state === 'case')
    .map((fault) => ({ ...placeOf(fault), target: fault.link.target }));
  const byPlace = new Map(links.map((link) => [`${link.line} ${link.path} ${link.text}`, link]));
  return [...byPlace.values()].slice(0, MISSING_LINKS_MAX);
}

/** An empty style sheet or script is common and harmless, and an empty start page is a problem of its own. */
function showsNothing({ path, sizeBytes }: OfferedFile): boolean {
  return sizeBytes === 0 && path !== 'index.html' && !/\.(?:css|m?js)$/i.test(path);
}

/**
 * Returns the addresses that a program in the page, or a rule of the host, may serve: these are in no list of files.
 */
function answersOf(paths: ReadonlySet<string>, texts: ReadonlyMap<string, string>, kind: UploadKind) {
  if (kind !== 'plain') return () => true;
  if (!paths.has('_redirects')) return () => false;
  const text = texts.get('_redirects');
  if (text === undefined) return () => true;
  const { rules, problems } = parseRedirects(text);
  // A rule that the built-in host does not follow may be followed at a platform.
  if (problems.length > 0) return () => true;
  const table = createRedirectTable(rules);
  return (address: string) => {
    const answer = table.forced(address, '') ?? table.otherwise(address, '');
    return answer !== null && answer.status !== 404;
  };
}

function tokenProblems(looks: ReadonlyMap<string, TextFindings>): UploadProblem[] {
  const places = [...looks].flatMap(([path, { tokens }]) =>
    tokens.map(({ kind, line, masked }) => ({ path, line, text: `${masked} looks like ${TOKEN_NAMES[kind]}` })),
  );
  const [first] = places;
  if (first === undefined) return [];
  return [
    {
      code: 'holds_token',
      message:
        places.length === 1 ? 'There is a secret key in' : `There are ${places.length} secret keys in these files.`,
      hint: 'Whoever opens the site could use your account with such a key. Take it out, and replace it where it was created.',
      path: places.length === 1 ? first.path : null,
      places: places.slice(0, LISTED_PLACES),
    },
  ];
}

type PlacedLinkFault = LinkFault & { path: string };

type LinkProblem = {
  state: LinkFault['state'];
  code: ProblemCode;
  message: (count: number) => string;
  hint: (count: number) => string;
  /** Names one of the links, with what is wrong about it. */
  text: (fault: LinkFault) => string;
};

const LINK_PROBLEMS: readonly LinkProblem[] = [
  {
    state: 'case',
    code: 'link_case',
    message: (count) => formatCount(count, 'link uses the wrong capitals.', 'links use the wrong capitals.'),
    hint: (count) =>
      `${count === 1 ? 'It works' : 'They work'} on your computer but not on the web. Match the link to the file name.`,
    text: ({ link, found }) => `${link.target} is called ${found ?? ''}`,
  },
  {
    state: 'broken',
    code: 'broken_link',
    message: (count) => formatCount(count, 'link leads nowhere.', 'links lead nowhere.'),
    hint: (count) =>
      count === 1
        ? 'The file is missing. Add it or fix the link.'
        : 'The files are missing. Add them or fix the links.',
    text: ({ link }) => `${link.target} is not there`,
  },
  {
    state: 'empty',
    code: 'empty_file',
    message: (count) => formatCount(count, 'link leads to an empty file.', 'links lead to empty files.'),
    hint: () => 'Visitors see nothing there. Add the content or take the link out.',
    text: ({ link }) => `${link.target} is empty`,
  },
  {
    state: 'local',
    code: 'local_link',
    message: (count) => formatCount(count, 'link leads to your own computer.', 'links lead to your own computer.'),
    hint: () =>
      'Visitors cannot reach your computer. Add the file to this folder if it is missing, and link to it there.',
    text: ({ link }) => `${link.target} is on your computer only`,
  },
];

function linkProblems(faults: readonly PlacedLinkFault[]): UploadProblem[] {
  return LINK_PROBLEMS.flatMap(({ state, code, message, hint }) => {
    const found = faults.filter((fault) => fault.state === state);
    if (found.length === 0) return [];
    const places = found.slice(0, LISTED_PLACES).map(placeOf);
    return [{ code, message: message(found.length), hint: hint(found.length), path: null, places }];
  });
}

function placeOf(fault: PlacedLinkFault): ProblemPlace {
  const text = LINK_PROBLEMS.find(({ state }) => state === fault.state)?.text(fault) ?? '';
  return { path: fault.path, line: fault.link.line, text };
}

/** Returns the lines of `_redirects` and `_headers` that the built-in host does not follow. */
export function ruleProblems(texts: ReadonlyMap<string, string>): UploadProblem[] {
  const read = { _redirects: parseRedirects, _headers: parseHeaders };
  return Object.entries(read).flatMap(([path, parse]) => {
    const { problems } = parse(texts.get(path) ?? '');
    if (problems.length === 0) return [];
    const places = problems.slice(0, LISTED_PLACES).map(({ line, message }) => ({ path, line, text: message }));
    return [
      {
        code: 'rule_ignored',
        message:
          problems.length === 1
            ? `1 line of ${path} is not followed.`
            : `${problems.length} lines of ${path} are not followed.`,
        hint: 'The rest will work. Fix or remove these lines.',
        path,
        places,
      },
    ];
  });
}
