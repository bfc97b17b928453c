import { formatCount } from '../../../routers/schemas/format-count.ts';
import { MISSING_LINKS_MAX } from '../../../routers/schemas/limits.ts';

export function missingFilesText(count: number): string {
  return atLeast(
    count,
    formatCount(count, 'file on the start page does not load', 'files on the start page do not load'),
  );
}

export function brokenLinksText(count: number): string {
  return atLeast(count, formatCount(count, 'link leads nowhere', 'links lead nowhere'));
}

function atLeast(count: number, text: string): string {
  return count >= MISSING_LINKS_MAX ? `At least ${text}` : text;
}

export function remedyText(count: number): string {
  return `${count === 1 ? 'Add the file or fix the link' : 'Add the files or fix the links'}, then publish again.`;
}
