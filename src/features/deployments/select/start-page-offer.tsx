import { Button } from '../../../components/button.tsx';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { isZip, type SelectedFolder } from '../../../uploads/selection/selection.ts';

export type StartPageOfferProps = { report: SelectionReport; onCopy: (copy: SelectedFolder) => void };

/** Offers to take the page that seems to be the first one, under the name that hosts look for. */
export function StartPageOffer({ report, onCopy }: StartPageOfferProps) {
  const path = report.inspection.problems.find(
    ({ code }) => code === 'no_entry_page' || code === 'entry_page_case',
  )?.path;
  const copy = path == null ? null : withStartPage(report, path);
  if (copy === null) return null;
  return (
    <Button size="sm" className="my-1.5" onClick={() => onCopy(copy)}>
      Use {path} as the start page
    </Button>
  );
}

/** Returns a copy of a folder with this page as `index.html`; null for a ZIP, whose files are not renamed here. */
export function withStartPage({ selection, reading }: SelectionReport, path: string): SelectedFolder | null {
  const page = reading.files.find((file) => file.path === path)?.source;
  if (isZip(selection) || page === undefined || !('file' in page)) return null;
  const start = { ...page, path: `${page.path.slice(0, page.path.lastIndexOf('/') + 1)}index.html` };
  // Links may lead to the old name as well, unless only its capitals differ: a release has one file of both.
  const isSameName = start.path.toLowerCase() === page.path.toLowerCase();
  return { ...selection, files: [...selection.files.filter((file) => !isSameName || file !== page), start] };
}
