import { Notice } from '../../components/notice.tsx';

/** Says what visitors of a live release without a start page see. */
export function NoStartPage({ className }: { className?: string }) {
  return (
    <Notice tone="warn" title="No start page" className={className}>
      Anyone who opens the address sees “not found”. Add an index.html at the top and publish again.
    </Notice>
  );
}
