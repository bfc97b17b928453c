import type { UploadProblem } from './upload-inspection.ts';
import { type OfferedFile, visiblePath } from './upload-rules.ts';
import type { TextFindings } from './upload-text-problems.ts';

/** People keep these beside their site, and seldom want to show them. */
const DOCUMENTS: readonly [RegExp, string][] = [
  [/\.(?:doc[xm]?|dotx?|odt|rtf|pages|xls[xmb]?|ods|numbers|ppt[xm]?|odp)$/i, 'an office document'],
  [/\.(?:psd|psb|ai|indd|sketch|fig|xd|xcf|afphoto|afdesign)$/i, 'a design file'],
  [/\.(?:pst|ost|mbox|eml|msg)$/i, 'mail'],
  [/\.(?:mdb|accdb)$/i, 'a database'],
];

/** Finds documents that no page links to: one that a page links to is there for visitors. */
export function documentProblems(
  files: readonly OfferedFile[],
  looks: ReadonlyMap<string, TextFindings>,
): UploadProblem[] {
  const documents = files.flatMap(({ path }) => {
    const what = DOCUMENTS.find(([pattern]) => pattern.test(path))?.[1];
    return what === undefined ? [] : [{ path, what }];
  });
  if (documents.length === 0) return [];
  const linked = new Set([...looks.values()].flatMap(({ links }) => links.map(({ target }) => nameIn(target))));
  const unlinked = documents.filter(({ path }) => !linked.has(nameIn(path)));
  const [first] = unlinked;
  if (first === undefined) return [];
  const isOne = unlinked.length === 1;
  const path = visiblePath(first.path);
  return [
    {
      code: 'holds_documents',
      message: isOne
        ? `${path} is ${first.what}. Anyone can download it.`
        : `${unlinked.length} documents can be downloaded by anyone.`,
      hint: isOne
        ? 'No page links to it. Take it out unless visitors should have it.'
        : `${path} and others, which no page links to. Take out what visitors should not have.`,
      path: first.path,
    },
  ];
}

/** Returns the name at the end of a path or of a link, as the file is called. */
function nameIn(target: string): string {
  const [address = ''] = target.split(/[?#]/, 1);
  const name = address.slice(address.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}
