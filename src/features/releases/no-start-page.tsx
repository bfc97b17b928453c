import { Notice } from '../../components/notice.tsx';

type MissingPageProps = {
  /** True while no plan is active, so that nothing is published. */
  isReadOnly: boolean;
  className?: string;
};

/** Says of a live release that it is the source of a site: whatever else is missing comes with the build. */
export function NeedsBuild({ isReadOnly, className }: MissingPageProps) {
  return (
    <Notice tone="warn" title="Published without a build" className={className}>
      A browser cannot show these files as they are.
      {!isReadOnly && ' Run the build (often “npm run build”) and publish the folder that it makes.'}
    </Notice>
  );
}

/** Says what visitors of a live release without a start page see. */
export function NoStartPage({ isReadOnly, className }: MissingPageProps) {
  return (
    <Notice tone="warn" title="No start page" className={className}>
      Anyone who opens the address sees “not found”.
      {!isReadOnly && ' Add an index.html at the top and publish again.'}
    </Notice>
  );
}
