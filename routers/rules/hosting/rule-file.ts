/** The common part of `_redirects` and `_headers`: both are read line by line, and a wrong line costs only itself. */
export const RULE_FILES = ['_redirects', '_headers'] as const;
export type RuleFile = (typeof RULE_FILES)[number];

/** A line that the built-in host does not follow, and the reason. Lines count from 1. */
export type RuleProblem = { line: number; message: string };
export type RuleLine = { line: number; text: string };

/** Cloudflare Pages, "Redirects" and "Headers": 2,000 characters a line is the wider of the two limits. */
const LINE_MAX = 2_000;
const FILE_MAX = 256 * 1024;
/** More than twice the rules that Cloudflare Pages follows; reading this many takes some milliseconds. */
const LINES_MAX = 5_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Returns the lines with content, without comments and blanks; a line that is too long or not text is a problem. */
export function ruleLines(text: string): { lines: RuleLine[]; problems: RuleProblem[] } {
  const lines: RuleLine[] = [];
  const problems: RuleProblem[] = [];
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
  const read = whole.slice(0, FILE_MAX).split(/\r\n|\n|\r/);
  for (const [index, raw] of read.slice(0, LINES_MAX).entries()) {
    const line = index + 1;
    const trimmed = raw.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (raw.length > LINE_MAX) problems.push({ line, message: `The line is longer than ${LINE_MAX} characters.` });
    else if (CONTROL.test(raw)) problems.push({ line, message: 'The line holds a character that cannot be seen.' });
    else lines.push({ line, text: trimmed });
  }
  if (read.length > LINES_MAX) {
    const message = `Only the first ${LINES_MAX.toLocaleString('en')} lines are read: the rest of the file is ignored.`;
    problems.push({ line: LINES_MAX + 1, message });
  } else if (whole.length > FILE_MAX) {
    problems.push({
      line: read.length,
      message: `The file is longer than ${FILE_MAX / 1024} KiB: the rest is not read.`,
    });
    // The line at the limit may be cut in its middle.
    if (lines.at(-1)?.line === read.length) lines.pop();
  }
  return { lines, problems };
}

/** Sorts by line, as a person reads the file: a problem found at its end may concern its beginning. */
export function sortedByLine(problems: readonly RuleProblem[]): RuleProblem[] {
  return [...problems].sort((a, b) => a.line - b.line);
}
