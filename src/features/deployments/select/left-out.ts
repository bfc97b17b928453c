import {
  LINK_LEFT_OUT,
  leftOutPart,
  leftOutRule,
  PACKAGES_LEFT_OUT,
} from '../../../../routers/rules/uploads/left-out-files.ts';
import type { UploadReading } from '../../../../routers/rules/uploads/upload-rules.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { SelectionItem } from '../../../uploads/selection/apply-rules.ts';

type LeftOutFiles = UploadReading<SelectionItem>['leftOut'];
/** A file that is left out, or a folder with everything in it, which is listed once. */
export type LeftOutGroup = LeftOutFiles[number] & { files: string[] };

export function isLeftOutLink({ reason }: { reason: string }): boolean {
  return reason === LINK_LEFT_OUT.reason;
}

export function isPackage({ reason }: { reason: string }): boolean {
  return reason === PACKAGES_LEFT_OUT.reason;
}

/** Returns the private parts that are left out, grouped: the history of a project alone may have thousands of files. */
export function privateGroups({ leftOut }: { leftOut: LeftOutFiles }): LeftOutGroup[] {
  return groupsOf(leftOut.filter((file) => !isLeftOutLink(file) && !isPackage(file)));
}

export function groupsOf(files: LeftOutFiles): LeftOutGroup[] {
  const groups = new Map<string, LeftOutGroup>();
  for (const file of files) {
    // A private key in such a folder is listed by itself: it stays out even if the rest is published.
    const path = leftOutRule(file.path)?.reason === file.reason ? leftOutPart(file.path) : file.path;
    const group = groups.get(path);
    if (group === undefined) groups.set(path, { ...file, path, files: [file.path] });
    else group.files.push(file.path);
  }
  return [...groups.values()];
}

/** Returns a text such as `6 private files and 1 private folder`. */
export function privateText(groups: readonly LeftOutGroup[]): string {
  const folders = groups.filter(isWholeFolder).length;
  const files = groups.length - folders;
  const texts = [
    ...(files > 0 ? [formatCount(files, 'private file')] : []),
    ...(folders > 0 ? [formatCount(folders, 'private folder')] : []),
  ];
  return texts.join(' and ');
}

export function isWholeFolder({ path, files }: LeftOutGroup): boolean {
  return files[0] !== path;
}
