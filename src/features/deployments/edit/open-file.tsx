import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { shownFailure } from '../../../api/shown-failure.ts';
import { FailedState } from '../../../components/page/failed-state.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { formatSize } from '../../../lib/format.ts';
import { IMAGE_MAX_BYTES, imageType, readText, TEXT_MAX_BYTES } from '../../../lib/texts.ts';
import { readFile } from '../../../uploads/release-files.ts';
import { CodeEditor, type LeftEditor } from './code-editor.tsx';
import { blobOf, sizeOf } from './content-size.ts';
import { type Content, contentOf, type Draft } from './draft.ts';

export type OpenFileProps = {
  draft: Draft;
  path: string;
  left: Map<string, LeftEditor>;
  place: { line: number } | null;
  isReadOnly: boolean;
  onWrite: (path: string, text: string, original: string | null) => void;
};

/** Shows one file of a draft: a text to edit, an image to view, or its type. */
export function OpenFile({ draft, path, left, place, isReadOnly, onWrite }: OpenFileProps) {
  // This is the text when it was opened: the editor has later changes.
  const [content] = useState(() => contentOf(draft, path));
  const [isFetched] = useState(() => content !== null && mayShow(path, content));
  const file = useQuery({ ...fileQuery(draft.base.releaseId, content), enabled: isFetched });
  const failure = shownFailure('The file could not be loaded', file.error);
  if (content === null) return null;
  if (failure !== null) return <FailedState failure={failure} question={file} />;
  if (!isFetched) return <NotShown path={path} size={sizeOf(content)} />;
  if (file.data === undefined) {
    return (
      <div className="flex flex-col gap-2 p-4">
        <Skeleton className="h-4 w-2/3" />
        <Skeleton className="h-4 w-1/2" />
      </div>
    );
  }
  const { blob, text } = file.data;
  const type = imageType(path);
  if (type !== null) return <Picture blob={blob} type={type} path={path} />;
  if (text === null) return <NotShown path={path} size={blob.size} />;
  return (
    <CodeEditor
      path={path}
      text={text}
      left={left}
      place={place}
      isReadOnly={isReadOnly}
      onChange={(changed) => onWrite(path, changed, 'sha256' in content ? text : null)}
    />
  );
}

function mayShow(path: string, content: Content): boolean {
  return sizeOf(content) <= (imageType(path) === null ? TEXT_MAX_BYTES : IMAGE_MAX_BYTES);
}

const local = { count: 0, ids: new WeakMap<Content, string>() };

/** Returns an id that distinguishes a local content from all others of this page. */
function localId(content: Content): string {
  const known = local.ids.get(content);
  if (known !== undefined) return known;
  local.count += 1;
  const id = String(local.count);
  local.ids.set(content, id);
  return id;
}

/** Reads a content once: from the server by its hash, or from the page. */
export function fileQuery(releaseId: string | null, content: Content | null) {
  const isStored = content !== null && 'sha256' in content;
  const id = content === null ? '' : isStored ? content.sha256 : localId(content);
  return {
    queryKey: ['release-file', releaseId, id],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const here = content === null ? null : blobOf(content);
      const blob = here ?? (isStored ? await readFile(releaseId ?? '', content.sha256, signal) : new Blob());
      return { blob, text: await readText(blob) };
    },
  };
}

function Picture({ blob, type, path }: { blob: Blob; type: string; path: string }) {
  const [url, setUrl] = useState<string>();
  const [size, setSize] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  return (
    <figure className="flex h-full flex-col items-center justify-center gap-3 p-4">
      <img
        src={url}
        alt={path}
        className="max-h-[80%] max-w-full rounded-tight border border-line object-contain"
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}, `)}
        onError={() => setSize('This image cannot be shown. ')}
      />
      <figcaption className="text-sm text-ink-muted tabular-nums">
        {size}
        {formatSize(blob.size)}
      </figcaption>
    </figure>
  );
}

function NotShown({ path, size }: { path: string; size: number }) {
  const isLarge = size > TEXT_MAX_BYTES;
  return (
    <Said>
      <p className="font-medium">{isLarge ? 'Too large to edit here' : 'Not a text file'}</p>
      <p className="max-w-80 text-ink-muted">
        {path.slice(path.lastIndexOf('/') + 1)} is {formatSize(size)}. To replace it, upload a file with the same name.
      </p>
    </Said>
  );
}

/** Shows a sentence in place of a file. */
export function Said({ children }: { children: ReactNode }) {
  return <div className="flex h-full flex-col items-center justify-center gap-2 p-6 text-center">{children}</div>;
}
