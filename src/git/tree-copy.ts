/**
 * The files of a tree in a folder of their own, with a repository around them and what git ignores
 * and a command needs. It goes when the run is over; what a killed one left goes with the next.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { Head } from './head.ts';
import { type Brought, bringIgnored } from './ignored-content.ts';
import { wallAge } from './local.ts';
import { withSubmodules } from './path-changes.ts';
import { isGone, isMark, markOf } from './process-mark.ts';
import type { Repository } from './repository.ts';
import { runFar, runGit } from './run-git.ts';
import { plantRepository } from './stand-in.ts';
import { temporaryFolder, temporaryFolders } from './temporary-folder.ts';

const copyPrefix = 'coord-verify-';

/** Of runs that were killed: at once where that can be told, else after a day. */
function sweepCopies(): void {
  const mine = process.getuid?.();
  for (const place of temporaryFolders(copyPrefix)) {
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined || stat.uid !== mine) continue;
    if (isOrphan(place) || wallAge(stat.mtimeMs) >= limits.remainsAgeMs) remove(place);
  }
}

function isOrphan(place: string): boolean {
  try {
    const mark: unknown = JSON.parse(readFileSync(join(place, 'owner'), 'utf8'));
    return isMark(mark) && isGone(mark);
  } catch {
    return false;
  }
}

/** What a process that was left behind still writes there stays for the next one to clear away. */
function remove(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true });
  } catch {
    // Said above.
  }
}

interface CopyWish {
  readonly tree: Oid;
  /** What HEAD is there. */
  readonly head: Head;
  /** Folders that the user names, and which others are wanted. */
  readonly links: readonly string[];
  isLinked(path: string): boolean;
}

/** An index that is one file, and sees whatever has been written since. */
const plainIndex = [
  'core.splitIndex=false',
  'index.sparse=false',
  'core.checkStat=default',
  'core.trustctime=true',
];

export class TreeCopy {
  /** Where the files are. */
  readonly folder: string;
  readonly #repository: Repository;
  readonly #place: string;
  #brought: Brought = { linked: [], copied: [], notLinked: [] };

  /** With a word to whoever waits where it takes long. */
  static async of(repository: Repository, wish: CopyWish, onSlow: () => void): Promise<TreeCopy> {
    sweepCopies();
    const copy = new TreeCopy(repository);
    try {
      await copy.#fill(wish, onSlow);
    } catch (error) {
      copy.remove();
      throw error;
    }
    return copy;
  }

  private constructor(repository: Repository) {
    this.#repository = repository;
    this.#place = temporaryFolder(copyPrefix);
    this.folder = join(this.#place, 'tree', basename(repository.top));
  }

  async #fill({ tree, head, links, isLinked }: CopyWish, onSlow: () => void): Promise<void> {
    const repository = this.#repository;
    writeFileSync(join(this.#place, 'owner'), JSON.stringify(markOf(process.pid)));
    mkdirSync(this.folder, { recursive: true });
    const { code, stderr } = await runFar(
      repository.git,
      this.folder,
      this.#words(['read-tree', '-m', '-u', tree]),
      this.#env(),
      { onSlow, maxMs: limits.checkoutMs },
    );
    if (code !== 0) throw failed('read-tree', stderr);
    plantRepository(repository, this.folder, head, this.#index);
    this.#brought = bringIgnored(repository, this.folder, links, isLinked);
  }

  /** Beside the files, so that no command there changes what they are compared with. */
  get #index(): string {
    return join(this.#place, 'index');
  }

  #env(): NodeJS.ProcessEnv {
    return { GIT_INDEX_FILE: this.#index };
  }

  #words(args: readonly string[]): readonly string[] {
    const { gitDir } = this.#repository;
    return [
      ...plainIndex.flatMap((setting) => ['-c', setting]),
      `--git-dir=${gitDir}`,
      `--work-tree=${this.folder}`,
      ...args,
    ];
  }

  #git(...args: readonly string[]): string {
    const { git } = this.#repository;
    const { code, stdout, stderr } = runGit(
      { ...git, env: { ...git.env, ...this.#env() } },
      this.#words(args),
      '',
      this.folder,
    );
    if (code !== 0) throw failed(args[0] ?? '', stderr);
    return stdout.toString('utf8');
  }

  #list(...args: readonly string[]): readonly string[] {
    return this.#git(...args)
      .split('\0')
      .filter((row) => row !== '');
  }

  /** What git ignores and is there all the same. */
  get brought(): Brought {
    return this.#brought;
  }

  /** Their folders are empty. */
  submodules(): readonly string[] {
    return this.#list('ls-files', '-z', '-s').flatMap(
      (row) => /^160000 \S+ \d\t(.*)$/s.exec(row)?.[1] ?? [],
    );
  }

  /** Is it still what was taken out, but for what git ignores? */
  isUnchanged(): boolean {
    if (!existsSync(this.folder)) return false;
    this.#git('update-index', '-q', '--really-refresh');
    const { linked, copied } = this.#brought;
    const others = this.#list('ls-files', '-z', '--others', '--exclude-standard').filter(
      (path) => !copied.includes(path) && !linked.some((link) => path.startsWith(`${link}/`)),
    );
    return others.length === 0 && this.#git('diff-files', withSubmodules, '--name-only') === '';
  }

  remove(): void {
    remove(this.#place);
  }
}

function failed(verb: string, stderr: string): CoordError {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return new CoordError('git_failed', `git ${verb} could not take the files out: ${said}`);
}
