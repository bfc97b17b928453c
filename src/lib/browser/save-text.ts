/** Saves a text as a file in the browser's downloads. */
export function saveText(text: string, fileName: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** Saves certificates in PEM, for import into a browser or a system. */
export const savePem = (pem: string, fileName: string): void => saveText(pem, fileName, 'application/x-pem-file');
