import { stopAsking } from '../../api/upload-asked.ts';
import type { UploadRecord } from '../../api/upload-record.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount, formatSize } from '../../lib/format.ts';

/** What a reload interrupted, where the browser could keep no copy: named, so that the same can be chosen again. */
export function AskedAgain({ record }: { record: UploadRecord }) {
  const { publication, fileCount, totalBytes, noun } = record;
  const extent = `It held ${formatCount(fileCount, 'file')}, ${formatSize(totalBytes)}.`;
  return (
    <Notice
      tone="warn"
      title={`Choose ${askedName(record)} again`}
      action={
        <Button size="sm" onClick={() => stopAsking(publication?.deployment.id ?? null)}>
          Not now
        </Button>
      }
    >
      {publication === null
        ? `The page was reloaded, and the ${noun} could not be kept. ${extent}`
        : `The page was reloaded while the ${noun} was sent. ${extent} What arrived is not sent again.`}
    </Notice>
  );
}

export function askedName({ name, noun }: Pick<UploadRecord, 'name' | 'noun'>): string {
  return name === '' ? `the ${noun === 'ZIP' ? 'ZIP' : 'files'}` : name;
}
