import type { UploadProblem } from './upload-inspection.ts';
import { type OfferedFile, visiblePath } from './upload-rules.ts';

/** Only a dynamic server runs these, and none of the platforms here does. */
const PROGRAM = /\.(?:php\d?|phtml|aspx?|jsp|cgi)$/i;

/** Returns the problem of files that only a server with their language could run. */
export function programProblems(files: readonly OfferedFile[]): UploadProblem[] {
  const programs = files.filter(({ path }) => PROGRAM.test(path));
  const [first] = programs;
  if (first === undefined) return [];
  const isOne = programs.length === 1;
  return [
    {
      code: 'holds_programs',
      message: isOne ? '1 file needs a server that runs it.' : `${programs.length} files need a server that runs them.`,
      hint: `${visiblePath(first.path)}${isOne ? '' : ' and others'}. Here visitors get the text of such a file, with any password in it, and forms that are sent to it do nothing. Take it out, or export the site as plain pages.`,
      path: first.path,
    },
  ];
}
