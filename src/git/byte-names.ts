/** Names of files that need not be text: as bytes, each a character, any comes back as it was. */

export function asBytes(name: string): string {
  return Buffer.from(name).toString('latin1');
}

export function asText(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}

/** Below this folder. */
export function fileAt(top: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')]);
}

export function folderOfFile(file: Buffer): Buffer {
  return file.subarray(0, file.lastIndexOf('/'));
}
