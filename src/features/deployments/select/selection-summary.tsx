import {
  Check,
  ChevronRight,
  CircleX,
  Eraser,
  FileArchive,
  Folder,
  FolderOpen,
  type LucideIcon,
  ShieldAlert,
  TriangleAlert,
} from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { visiblePath } from '../../../../routers/rules/uploads/upload-rules.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { errorToast } from '../../../api/errors.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { Checkbox } from '../../../components/fields/checkbox.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { Size } from '../../../components/size.tsx';
import { focusWhereNone } from '../../../lib/browser/focus-where-none.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { type Selection, selectionNoun, selectionTitle } from '../../../uploads/selection/selection.ts';
import { type Finding, type FindingsContext, findingsOf, mayBeCopied, selectionLine } from './findings.ts';
import { isWholeFolder } from './left-out.ts';
import { PlaceList } from './place-list.tsx';
import { ReplaceFiles } from './replace-files.tsx';
import { HoldLine, type Room, RoomNotice } from './room.tsx';
import { StartPageOffer } from './start-page-offer.tsx';

export type SelectionSummaryProps = {
  report: SelectionReport;
  context?: FindingsContext | undefined;
  room?: Room | undefined;
  /** Replaces these files by others, or removes them. */
  onReplace: (selection: Selection | null) => void;
  onPublishAnyway: (path: string, isWanted: boolean) => void;
  /** Replaces the selection with a copy in which something was corrected. */
  onCopy: (copy: Selection) => void;
  /** Chooses the finished folder inside in place of the whole; null when there is none. */
  onTakeBuildFolder?: (() => void) | null;
  footer?: ReactNode;
};

/** Reports on an inspected folder or ZIP: its kind, files that are left out and why, problems, and every file. */
export function SelectionSummary(props: SelectionSummaryProps) {
  const { report, context, room, onReplace, onPublishAnyway, onCopy, onTakeBuildFolder, footer } = props;
  const { reading, inspection } = report;
  const title = selectionTitle(report.selection);
  const findings = findingsOf(report, context);
  const noun = selectionNoun(report.selection);
  const folder = useRef<HTMLInputElement>(null);
  const chooseFolder = () => folder.current?.click();
  const Icon = noun === 'ZIP' ? FileArchive : Folder;
  // "Ready to publish" fits neither above a warning nor beside what stands in the way.
  const isExplained =
    inspection.entryPage === null
      ? reading.refusal === null
      : !room?.refusal && !context?.hold && findings.every(({ kind }) => kind !== 'warn' && kind !== 'bad');
  return (
    <Card
      ref={focusWhereNone}
      data-chosen
      aria-label={`${noun === 'ZIP' ? 'ZIP' : 'Folder'} ${title}`}
      className="divide-y divide-line outline-none"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4 sm:p-5">
        <span className="flex size-11 shrink-0 items-center justify-center rounded-card border border-line text-accent">
          <Icon className="size-5" />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="text-lg font-semibold wrap-anywhere">{title}</h2>
          <p className="text-ink-muted tabular-nums">{selectionLine(report)}</p>
          {context?.hold && <HoldLine {...context.hold} />}
          {isExplained && <p className="mt-0.5 text-sm text-ink-muted">{inspection.explanation}</p>}
        </div>
        <ReplaceFiles noun={noun} folder={folder} onReplace={onReplace} />
      </div>
      {findings.map((finding) => (
        <FindingRow
          key={finding.id}
          finding={finding}
          report={report}
          onPublishAnyway={onPublishAnyway}
          offer={offerFor(finding.id, { report, context, onCopy, chooseFolder })}
        />
      ))}
      {onTakeBuildFolder && inspection.buildFolder !== null && (
        <div className="flex flex-wrap items-center justify-between gap-3 bg-accent-soft px-4 py-3 sm:px-5">
          <p className="min-w-0 wrap-anywhere">
            The folder <code className="font-mono text-sm">{visiblePath(inspection.buildFolder)}</code> looks like the
            finished website.
          </p>
          <Button size="sm" className="max-w-full" onClick={onTakeBuildFolder}>
            <span className="truncate">Use {visiblePath(inspection.buildFolder)} instead</span>
          </Button>
        </div>
      )}
      {inspection.totalBytes >= HEAVY_BYTES && <FileList title="Largest files" files={inspection.largest} />}
      {report.reading.files.length > 0 && <FileList title="All files" files={report.reading.files} />}
      {room !== undefined && <RoomNotice room={room} selection={report.selection} />}
      {footer}
    </Card>
  );
}

const looks: Record<Finding['kind'], { icon: LucideIcon; look: string; word: string }> = {
  good: { icon: Check, look: 'text-good', word: 'Good' },
  warn: { icon: TriangleAlert, look: 'text-warn', word: 'Look at this' },
  bad: { icon: CircleX, look: 'text-bad', word: 'Cannot be published' },
  secret: { icon: ShieldAlert, look: 'text-warn', word: 'Left out' },
  removed: { icon: Eraser, look: 'text-ink-muted', word: 'Removed' },
  inner: { icon: FolderOpen, look: 'text-ink-muted', word: 'Note' },
};

type FindingRowProps = {
  finding: Finding;
  report: SelectionReport;
  onPublishAnyway: SelectionSummaryProps['onPublishAnyway'];
  offer: ReactNode;
};

function FindingRow({ finding, report, onPublishAnyway, offer }: FindingRowProps) {
  const isOpenAtFirst = finding.kind === 'bad' || finding.kind === 'warn';
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const detailId = useId();
  const { icon: Icon, look, word } = looks[finding.kind];
  const act = isOpen ? 'Hide' : finding.leftOut.length > 1 ? 'Show' : 'Why';
  const hasDetail = finding.detail !== null || finding.leftOut.length > 0 || finding.places.length > 0;
  return (
    <div className="px-4 py-2.5 sm:px-5">
      <div className="flex items-start gap-3">
        <Icon className={classNames('mt-0.5', look)} />
        <span className="sr-only">{word}:</span>
        <p className="min-w-0 grow wrap-anywhere">
          {finding.message} {finding.path !== null && <code className="font-mono text-sm">{finding.path}</code>}
        </p>
        {hasDetail && (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={detailId}
            aria-label={`${act}: ${finding.message.replace(/[.:]$/, '')}`}
            onClick={() => setOpen(!isOpen)}
            className="-my-1 shrink-0 rounded-tight px-1 py-1 text-sm text-ink-muted hover:text-ink touch:-my-3 touch:py-3"
          >
            {act}
          </button>
        )}
      </div>
      {hasDetail && isOpen && (
        <div id={detailId} className="mt-1 pl-7 text-sm text-ink-muted">
          {finding.detail !== null && <p>{finding.detail}</p>}
          {offer}
          {finding.places.length > 0 && <PlaceList places={finding.places} />}
          {finding.leftOut.length > 0 && (
            <LeftOutList parts={finding.leftOut} report={report} onPublishAnyway={onPublishAnyway} />
          )}
        </div>
      )}
    </div>
  );
}

type Offers = Pick<SelectionSummaryProps, 'report' | 'context' | 'onCopy'> & { chooseFolder: () => void };

/** Offers remedies for a missing start page and for links: those of a site that was built for a folder are broken at the root of a host, too. */
function offerFor(id: string, { context, ...offers }: Offers): ReactNode {
  if (id === 'root_link') return <BelowFolderOffers context={context} {...offers} />;
  if (id === 'no_entry_page' || id === 'entry_page_case') return <StartPageOffer {...offers} />;
  if (id === 'entry_page_packed') return <ChooseFolder className="my-1.5" onClick={offers.chooseFolder} />;
  return id === 'folder_link' && <BelowFolderOffers {...offers} />;
}

function ChooseFolder(props: { className?: string; onClick: () => void }) {
  return (
    <Button size="sm" {...props}>
      Choose a folder
    </Button>
  );
}

/** Offers remedies for links with a slash at the start that lead outside the site. */
function BelowFolderOffers({ report, context, onCopy, chooseFolder }: Partial<Offers> & Omit<Offers, 'context'>) {
  const { rootSite, domainsPath } = context ?? {};
  const isCopied = mayBeCopied(report);
  return (
    <>
      {!isCopied && <p>Unpack this ZIP and choose its folder to have the links rewritten here.</p>}
      {rootSite !== undefined && <p>What {rootSite.name} shows now would be replaced.</p>}
      <div className="my-1.5 flex flex-wrap gap-2 empty:hidden">
        {isCopied ? <RelativeLinks report={report} onCopy={onCopy} /> : <ChooseFolder onClick={chooseFolder} />}
        {rootSite !== undefined && (
          <Button size="sm" onClick={rootSite.use}>
            Use {rootSite.name} instead
          </Button>
        )}
        {domainsPath !== undefined && (
          <Button size="sm" asChild>
            <Link to={domainsPath}>Add a domain</Link>
          </Button>
        )}
      </div>
    </>
  );
}

/** Rewrites the links in a copy, which is read and shown like any selection. */
function RelativeLinks({ report, onCopy }: Pick<SelectionSummaryProps, 'report' | 'onCopy'>) {
  const [isBusy, setBusy] = useState(false);
  const write = () => {
    setBusy(true);
    import('../../../uploads/relative-links.ts')
      .then(({ copyWithRelativeLinks }) => copyWithRelativeLinks(report))
      .then(onCopy, (cause: unknown) => showToast(errorToast('The links could not be rewritten', cause)))
      .finally(() => setBusy(false));
  };
  return (
    <Button size="sm" isBusy={isBusy} busyLabel="Writing…" onClick={write}>
      Make a copy with relative links
    </Button>
  );
}

type LeftOutListProps = {
  parts: Finding['leftOut'];
  report: SelectionReport;
  onPublishAnyway: SelectionSummaryProps['onPublishAnyway'];
};

function LeftOutList({ parts, report, onPublishAnyway }: LeftOutListProps) {
  return (
    <ul className="flex flex-col gap-3 pt-1">
      {parts.slice(0, LISTED_FILES).map((part) => (
        <li key={part.path}>
          {parts.length > 1 && <code className="font-mono text-sm wrap-anywhere text-ink">{part.path}</code>}
          <p>
            {part.reason}
            {isWholeFolder(part) && ` It holds ${formatCount(part.files.length, 'file')}.`}
          </p>
          {part.isPublishable && (
            <div className="mt-1">
              <Checkbox
                label={
                  <>
                    Publish anyway <span className="sr-only">{part.path}</span>
                  </>
                }
                isChecked={report.publishAnyway.includes(part.path)}
                onChange={(isWanted) => onPublishAnyway(part.path, isWanted)}
              />
            </div>
          )}
        </li>
      ))}
      <More count={parts.length - LISTED_FILES} />
    </ul>
  );
}

/** From this size on, the largest files tell why. */
const HEAVY_BYTES = 10 * 1024 * 1024;

/** Twenty thousand rows would make the page slow, and nobody reads them. */
const LISTED_FILES = 200;

function FileList({ title, files }: { title: string; files: readonly { path: string; sizeBytes: number }[] }) {
  return (
    <details className="group">
      <summary className="flex cursor-pointer items-center gap-3 px-4 py-2.5 text-ink-muted hover:text-ink sm:px-5 touch:py-3">
        <ChevronRight className="transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <ul className="max-h-80 overflow-y-auto border-t border-line px-4 py-3 text-sm sm:px-5">
        {files.slice(0, LISTED_FILES).map(({ path, sizeBytes }) => (
          <li key={path} className="flex items-baseline justify-between gap-4 py-0.5">
            <code className="min-w-0 font-mono text-sm wrap-anywhere">{path}</code>
            <Size bytes={sizeBytes} className="shrink-0 whitespace-nowrap text-ink-muted tabular-nums" />
          </li>
        ))}
        <More count={files.length - LISTED_FILES} />
      </ul>
    </details>
  );
}

function More({ count }: { count: number }) {
  return count > 0 ? <li className="pt-1 text-ink-muted">and {formatCount(count, 'more file')}</li> : null;
}
