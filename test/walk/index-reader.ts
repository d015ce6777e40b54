/** Reads an index file as git writes it (versions 2 to 4): what is staged, unmerged and flagged. */
import { readFileSync } from 'node:fs';

export interface IndexRead {
  /** A path is `mode oid`, or `unmerged`. */
  readonly entries: ReadonlyMap<string, string>;
  /** Paths that are assumed unchanged, out of the sparse checkout, or only intended to be added. */
  readonly flagged: ReadonlySet<string>;
}

/** Null where there is none, or none that can be read. */
export function readIndex(file: string): IndexRead | null {
  let data: Buffer;
  try {
    data = readFileSync(file);
  } catch {
    return null;
  }
  if (data.length < 12 || data.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = data.readUInt32BE(4);
  const count = data.readUInt32BE(8);
  const entries = new Map<string, string>();
  const flagged = new Set<string>();
  let at = 12;
  let name = '';
  for (let i = 0; i < count; i += 1) {
    const mode = data.readUInt32BE(at + 24).toString(8);
    const oid = data.toString('hex', at + 40, at + 60);
    const flags = data.readUInt16BE(at + 60);
    const isExtended = version >= 3 && (flags & 0x4000) !== 0;
    const more = isExtended ? data.readUInt16BE(at + 62) : 0;
    let from = at + (isExtended ? 64 : 62);
    let keep = '';
    if (version === 4) {
      let strip = data[from] ?? 0;
      let byte = strip;
      strip &= 127;
      for (from += 1; (byte & 128) !== 0; from += 1) {
        byte = data[from] ?? 0;
        strip = ((strip + 1) << 7) | (byte & 127);
      }
      keep = Buffer.from(name)
        .subarray(0, Buffer.byteLength(name) - strip)
        .toString();
    }
    const end = data.indexOf(0, from);
    name = keep + data.toString('utf8', from, end);
    entries.set(name, (flags & 0x3000) === 0 ? `${mode} ${oid}` : 'unmerged');
    if ((flags & 0x8000) !== 0 || (more & 0x6000) !== 0) flagged.add(name);
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return { entries, flagged };
}
