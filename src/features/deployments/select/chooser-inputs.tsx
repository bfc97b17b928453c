import type { RefObject } from 'react';

export type ChooserInputsProps = {
  /** The id of the input for a folder, for a label. */
  id?: string | undefined;
  folder: RefObject<HTMLInputElement | null>;
  zip: RefObject<HTMLInputElement | null>;
  onFiles: (list: FileList) => void;
};

/** The browser's two choosers, for a folder and for a ZIP, opened by a click on each. */
export function ChooserInputs({ id, folder, zip, onFiles }: ChooserInputsProps) {
  const take = (input: HTMLInputElement) => {
    if (input.files) onFiles(input.files);
    // Choosing the same again must be a change again.
    input.value = '';
  };
  return (
    <>
      <input
        ref={folder}
        id={id}
        type="file"
        aria-label="Folder to publish"
        multiple
        webkitdirectory=""
        hidden
        onChange={(event) => take(event.target)}
      />
      <input
        ref={zip}
        type="file"
        accept=".zip,application/zip"
        aria-label="ZIP to publish"
        hidden
        onChange={(event) => take(event.target)}
      />
    </>
  );
}
