/**
 * Operations of this machine that are written but not sent yet, one on top of the other: whoever
 * has the turn sends all of them in one push. A place is taken by making a file that must not be
 * there, so that no two processes stand on the same operation. Losing any of it only means deciding
 * again.
 */
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { ownMark } from '../git/local.ts';

/** A clock that counts suspended time, and its name: another's readings mean nothing. */
export interface Watch {
  readonly domain: string;
  uptimeMs(): number;
}

interface PendingPlace {
  readonly oid: Oid;
  readonly parent: Oid | null;
  readonly domain: string;
  readonly uptimeMs: number;
  readonly file: string;
}

/** What this process is sending. */
export interface Sending {
  sends(oids: readonly Oid[]): void;
  /** It is known what became of it. */
  known(): void;
}

export class UnderWay {
  readonly #folder: string;
  readonly #watch: Watch;

  constructor(remoteCopyFolder: string, watch: Watch) {
    this.#folder = join(remoteCopyFolder, 'under-way');
    this.#watch = watch;
  }

  /**
   * What stands on this tip, oldest first. What lies there for long is nobody's any more, and not
   * sent late.
   */
  on(tip: Oid | null): readonly Oid[] {
    return this.#chain(tip).map(({ oid }) => oid);
  }

  #chain(tip: Oid | null): readonly PendingPlace[] {
    const chain: PendingPlace[] = [];
    const now = this.#watch.uptimeMs();
    let at = tip;
    for (const place of this.#places()) {
      const isFresh =
        place.domain === this.#watch.domain && Math.abs(now - place.uptimeMs) <= limits.underWayMs;
      if (place.parent !== at || !isFresh) continue;
      chain.push(place);
      at = place.oid;
    }
    return chain;
  }

  #places(): readonly PendingPlace[] {
    return this.#names()
      .filter((name) => /^\d{12}$/.test(name))
      .sort()
      .flatMap((name): PendingPlace[] => {
        try {
          const file = join(this.#folder, name);
          const [, oid, parent, uptime, domain] =
            /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}|none) (\d+) (.+)\n$/.exec(
              readFileSync(file, 'utf8'),
            ) ?? [];
          return oid === undefined || parent === undefined || domain === undefined
            ? []
            : [
                {
                  oid,
                  parent: parent === 'none' ? null : parent,
                  uptimeMs: Number(uptime),
                  domain,
                  file,
                },
              ];
        } catch {
          return [];
        }
      });
  }

  /** False where another process has taken this place. */
  append(seq: number, oid: Oid, parent: Oid | null): boolean {
    const draft = join(this.#folder, `${seq}.${ownMark}`);
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(
      draft,
      `${oid} ${parent ?? 'none'} ${this.#watch.uptimeMs()} ${this.#watch.domain}\n`,
    );
    try {
      linkSync(draft, join(this.#folder, String(seq).padStart(12, '0')));
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /**
   * Clears away what does not stand on this tip any more, and says how much that was. The caller
   * has the turn.
   */
  tidy(tip: Oid | null): number {
    const kept = new Set(this.#chain(tip).map(({ file }) => file));
    const gone = this.#places().filter(({ file }) => !kept.has(file));
    for (const { file } of gone) rmSync(file, { force: true });
    this.#sending();
    return gone.length;
  }

  /**
   * Says that this process is about to send what lies there, before it reads what that is, and then
   * what it was. Whoever ends without a word of what became of it may have sent it all the same.
   */
  beginSending(): Sending {
    const mark = join(this.#folder, `sending.${ownMark}`);
    mkdirSync(this.#folder, { recursive: true });
    const write = (what: string): void => {
      writeFileSync(`${mark}.draft`, `${this.#watch.uptimeMs()} ${this.#watch.domain}\n${what}`);
      renameSync(`${mark}.draft`, mark);
    };
    write('');
    return {
      sends: (oids) => write(`${oids.join(' ')}\n`),
      known: () => rmSync(mark, { force: true }),
    };
  }

  /**
   * Takes back one's own, and with it what stands on it. False where another process has sent it,
   * or may have.
   */
  withdraw(mine: Oid): boolean {
    for (const { oid, file } of this.#places()) if (oid === mine) rmSync(file, { force: true });
    return !this.#sending().some((what) => what === '' || what.includes(mine));
  }

  /** What other processes have on their way, as far as they have said it yet. */
  #sending(): readonly string[] {
    return this.#names()
      .filter((name) => /^sending\.[^.]+$/.test(name) && name !== `sending.${ownMark}`)
      .flatMap((name) => this.#sentBy(join(this.#folder, name)) ?? []);
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  /** Null where it was so long ago that it has arrived or never will. */
  #sentBy(mark: string): string | null {
    try {
      const [, uptime, domain, what = ''] =
        /^(\d+) (.+)\n(.*)/.exec(readFileSync(mark, 'utf8')) ?? [];
      if (domain === this.#watch.domain && this.#watch.uptimeMs() - Number(uptime) <= limits.sentMs)
        return what;
      rmSync(mark, { force: true });
    } catch {
      // It is known by now.
    }
    return null;
  }
}
