import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { isRunningReleaseState } from '../../../../routers/schemas/state-names.ts';
import { shownFailure } from '../../../api/shown-failure.ts';
import { trpc } from '../../../api/trpc.ts';
import { Card } from '../../../components/card.tsx';
import { FailedState } from '../../../components/page/failed-state.tsx';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { readFileList } from '../../../uploads/release-files.ts';
import { readDraft } from '../stored-draft.ts';
import type { TemplateId } from '../templates/templates.ts';
import { type Base, type Changes, contentOf, type Draft } from './draft.ts';
import { Editor } from './editor.tsx';
import type { Edited } from './use-draft.ts';

type ReleaseRef = { id: string; number: number };

const NOTHING: Base = { releaseId: null, number: 0, files: new Map() };
/** A first visit opens this file. */
const FIRST_FILE = 'index.html';

export type EditFilesProps = {
  deployment: Deployment;
  /** The number of the edited release, if it is not the live one. */
  releaseNumber: number | null;
  /** The template to begin with before anything was published. */
  template: TemplateId | null;
  isReadOnly: boolean;
};

/** Finds the content to edit: an earlier visit's from this browser, else the files of the release. */
export function EditFiles({ deployment, releaseNumber, template, isReadOnly }: EditFilesProps) {
  const draftKey = releaseNumber === null ? deployment.id : `${deployment.id} ${releaseNumber}`;
  const { currentRelease, latestRelease } = deployment;
  const isOnItsWay = latestRelease !== null && isRunningReleaseState(latestRelease.state);
  const newest = isOnItsWay ? latestRelease : (currentRelease ?? latestRelease);
  const stored = useQuery({ queryKey: ['edits', draftKey], queryFn: () => readDraft(draftKey), gcTime: 0 });
  const chosen = trpc.releases.get.useQuery(
    { deploymentId: deployment.id, number: releaseNumber ?? 1 },
    { enabled: releaseNumber !== null },
  );
  const first = releaseNumber === null ? newest : (chosen.data ?? null);
  const from: ReleaseRef | null = stored.data?.releaseId
    ? { id: stored.data.releaseId, number: stored.data.number }
    : first;
  const isChosen = releaseNumber === null || chosen.data !== undefined;
  // A release that goes live meanwhile does not change the content: the editor asks about it (editor.tsx).
  const began = useRef<{ draftKey: string; from: ReleaseRef | null } | null>(null);
  if (began.current?.draftKey !== draftKey) {
    began.current = stored.data === undefined || !isChosen ? null : { draftKey, from };
  }
  const base = useFiles(began.current?.from);
  const newestFiles = useFiles(newest);
  const begun = useTemplate(newest === null ? template : null);

  const question = [chosen, base, begun].find(({ error }) => error !== null);
  const failure = shownFailure('The files could not be loaded', question?.error ?? null);
  if (question !== undefined) {
    return (
      <Card>
        <FailedState failure={failure} question={question} />
      </Card>
    );
  }
  if (stored.data === undefined || base.data === undefined || begun.data === undefined) {
    return (
      <Card>
        <SkeletonRows rows={6} />
      </Card>
    );
  }
  return (
    <Editor
      key={draftKey}
      deployment={deployment}
      draftKey={draftKey}
      isOfLive={releaseNumber === null}
      initial={editedOf({ base: base.data, changes: stored.data?.changes ?? begun.data }, stored.data)}
      newest={newestFiles.isLoadingError ? null : newestFiles.data}
      isOnItsWay={isOnItsWay}
      isReadOnly={isReadOnly}
    />
  );
}

function editedOf(draft: Draft, stored: Omit<Edited, 'draft'> | null): Edited {
  if (stored !== null) return { draft, open: stored.open, active: stored.active };
  return contentOf(draft, FIRST_FILE) !== null
    ? { draft, open: [FIRST_FILE], active: FIRST_FILE }
    : { draft, open: [], active: null };
}

/** Returns the start of a draft when none is stored: empty, or the files of a template. */
function useTemplate(id: TemplateId | null) {
  return useQuery<Changes>({
    queryKey: ['template', id],
    queryFn: async () => {
      if (id === null) return new Map();
      const { templateFiles } = await import('../templates/template-files.ts');
      return new Map([...templateFiles(id)].map(([path, text]) => [path, { before: null, now: { text } }]));
    },
  });
}

/** Returns the files of a release, which never change; undefined while the release is not known. */
function useFiles(release: ReleaseRef | null | undefined) {
  return useQuery<Base>({
    queryKey: ['release-files', release?.id ?? null],
    enabled: release !== undefined,
    queryFn: async ({ signal }) => {
      if (!release) return NOTHING;
      return { releaseId: release.id, number: release.number, files: await readFileList(release.id, signal) };
    },
  });
}
