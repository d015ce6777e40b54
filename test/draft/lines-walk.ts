/**
 * Three sessions and a person work by chance in the same files. Every line says who wrote it, so
 * that what a commit holds can be judged by what it shows.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClaudeSession } from '../support/claude-sessions.ts';
import type { TestRepository } from '../support/repository.ts';
import { checkout, ranIn } from '../support/sessions.ts';
import { seeded } from '../support/world.ts';
import { commits, deeds, moves } from './lines-walk-forms.ts';

const files = ['one', 'two', 'three'];

interface Planned {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export class Walk {
  readonly problems: string[] = [];
  readonly did: string[] = [];
  readonly repo: TestRepository;
  readonly #sessions: readonly ClaudeSession[];
  readonly #chance: () => number;
  readonly #waiting = new Map<string, Planned>();
  /** Who took a line away, by its text. */
  readonly #removed = new Map<string, Set<string>>();
  #count = 0;
  #shared: readonly string[] = [];

  constructor(seed: number) {
    this.#chance = seeded(seed);
    this.repo = checkout();
    this.repo.git('config', 'coord.editMode', 'lines');
    for (const file of files)
      this.repo.write(file, Array.from({ length: 40 }, (_, i) => `base ${file} ${i}\n`).join(''));
    this.repo.git('add', '.');
    this.repo.git('commit', '-qm', 'base');
    this.#topic();
    this.#sessions = ['ann', 'ben', 'cy'].map((name) => new ClaudeSession(this.repo, name));
  }

  /** A branch that changes a line of one of the files, and a file of its own. */
  #topic(): void {
    const index = { GIT_INDEX_FILE: join(this.repo.top, '..', 'topic-index') };
    const run = (...args: string[]): string => {
      const ran = ranIn(this.repo.top, { ...this.repo.env, ...index }, 'git', args);
      if (ran.code !== 0) throw new Error(ran.stderr);
      return ran.stdout.trim();
    };
    writeFileSync(
      join(this.repo.top, '..', 'topic-text'),
      this.#text('three').replace('base three 20\n', 'topic three 20\n'),
    );
    const blob = run('hash-object', '-w', join(this.repo.top, '..', 'topic-text'));
    run('read-tree', 'HEAD');
    run('update-index', '--add', '--cacheinfo', `100644,${blob},three`);
    run('update-index', '--add', '--cacheinfo', `100644,${blob},topic`);
    const commit = run('commit-tree', '-p', 'HEAD', '-m', 'topic', run('write-tree'));
    run('branch', 'topic', commit);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#chance() * items.length)] as T;
  }

  #text(file: string): string {
    return readFileSync(join(this.repo.top, file), 'utf8');
  }

  #all(): string {
    return files.map((file) => this.#text(file)).join('');
  }

  #lines(file: string): string[] {
    return this.#text(file).split(/(?<=\n)/);
  }

  #new(name: string): string {
    this.#count += 1;
    return `${name} ${this.#count}\n`;
  }

  step(): void {
    const session = this.#pick(this.#sessions);
    const deed = this.#pick(deeds);
    const head = this.repo.git('rev-parse', 'HEAD').trim();
    const before = this.#all();
    this.#shared = this.#sharedFiles();
    this.did.push(`${session.session} ${deed}`);
    this[deed](session);
    this.#judge(session.session, deed, head, before);
  }

  /** Those with a line record; what somebody has alone, or nobody has, is anybody's as a whole. */
  #sharedFiles(): readonly string[] {
    const records = join(this.repo.top, '.git/coord/lines');
    const names = existsSync(records) ? readdirSync(records) : [];
    const kept = names
      .filter((one) => /^[0-9a-f]{32}$/.test(one))
      .map((one) => readFileSync(join(records, one), 'utf8').split('\n')[0] ?? '')
      .map((line) => String((JSON.parse(line) as { path: string }).path));
    const { json } = this.repo.coord('looker', 'status');
    const alone: readonly string[] = (json['leases'] ?? [])
      .filter(({ mode }: { mode: string }) => mode === 'exclusive')
      .flatMap(({ patterns }: { patterns: readonly string[] }) => patterns);
    return kept.filter((file) => !alone.some((held) => held.includes(file)));
  }

  #say(what: string): void {
    this.did.push(`${this.did.pop()}: ${what}`);
  }

  /** A change of a line or two: instead of them, after them, or without them. */
  #change(file: string, name: string, careful: boolean): Planned | null {
    const lines = this.#lines(file);
    const at = 1 + Math.floor(this.#chance() * (lines.length - 3));
    const near = lines.slice(at - 1, at + 3);
    // What is announced and not done may be anybody's who changes it meanwhile.
    const waiting = [...this.#waiting.values()].map((one) => one.from).join('');
    const isFree = (line: string): boolean =>
      (/^base |^topic /.test(line) || line.startsWith(name)) && !waiting.includes(line);
    if (careful && !near.every(isFree))
      return this.#chance() < 0.2 ? null : this.#change(file, name, true);
    const from = lines.slice(at, at + this.#pick([1, 1, 2])).join('');
    const to = this.#pick([
      this.#new(name),
      `${this.#new(name)}${this.#new(name)}`,
      `${from}${this.#new(name)}`,
      `${this.#new(name)}${from}`,
      '',
    ]);
    return { file, from, to };
  }

  #note({ file, from, to }: Planned, name: string): void {
    // What it was about to do it does no more after it has done something else there.
    if (this.#waiting.get(name)?.file === file) this.#waiting.delete(name);
    const kept = new Set(to.split(/(?<=\n)/));
    for (const line of from.split(/(?<=\n)/))
      if (!kept.has(line))
        this.#removed.set(line, (this.#removed.get(line) ?? new Set()).add(name));
  }

  edit(session: ClaudeSession): void {
    const change = this.#change(this.#pick(files), session.session, false);
    if (change === null) return;
    const said = session.edit(change.file, change.from, change.to);
    this.#say(`${JSON.stringify(change)} ${said}`);
    if (said === '') this.#note(change, session.session);
  }

  write(session: ClaudeSession): void {
    const change = this.#change(this.#pick(files), session.session, false);
    if (change === null) return;
    const text = session.read(change.file).replace(change.from, () => change.to);
    const said = session.write(change.file, text);
    this.#say(`${JSON.stringify(change)} ${said}`);
    if (said === '') this.#note(change, session.session);
  }

  wants(session: ClaudeSession): void {
    const change = this.#change(this.#pick(files), session.session, false);
    if (change === null || this.#waiting.has(session.session)) return;
    const said = session.wants(change.file, change.from, change.to);
    this.#say(`${JSON.stringify(change)} ${said}`);
    if (!said.includes('"deny"')) this.#waiting.set(session.session, change);
  }

  lands(session: ClaudeSession): void {
    const change = this.#waiting.get(session.session);
    this.#waiting.delete(session.session);
    if (change === undefined || !this.#text(change.file).includes(change.from)) return;
    this.#say(JSON.stringify(change));
    session.lands(change.file, change.from, change.to);
    this.#note(change, session.session);
  }

  shell(session: ClaudeSession): void {
    const change = this.#change(this.#pick(files), session.session, true);
    if (change === null) return;
    const lines = change.from.split('\n').length - 1;
    const [first = ''] = change.from.split('\n');
    const script = `$(grep -n '^${first}$' ${change.file} | cut -d: -f1)`;
    const text = change.to.replaceAll('\n', '\\n').replace(/\\n$/, '');
    const more = lines > 1 ? 'N;' : '';
    const end = change.to === '' ? 'd' : `s/.*/${text}/`;
    this.#run(session, `sed -i "${script}{${more}${end}}" ${change.file}`, change);
  }

  python(session: ClaudeSession): void {
    const change = this.#change(this.#pick(files), session.session, true);
    if (change === null) return;
    const text = (one: string): string => JSON.stringify(one).replaceAll('"', "'");
    const name = text(change.file);
    const read = `p=${name}; t=open(p).read()`;
    const write = `open(p,'w').write(t.replace(${text(change.from)}, ${text(change.to)}))`;
    this.#run(session, `python3 -c "${read}; ${write}"`, change);
  }

  #run(session: ClaudeSession, command: string, change: Planned): void {
    const wanted = this.#text(change.file).replace(change.from, () => change.to);
    const ran = session.bash(command);
    this.#say(`${JSON.stringify(change)} ${ran.code} ${ran.stderr}`);
    if (ran.code !== 0) return;
    if (this.#text(change.file) !== wanted) throw new Error(`wrong command ${command}`);
    this.#note(change, session.session);
  }

  person(): void {
    const change = this.#change(this.#pick(files), 'person', true);
    if (change === null) return;
    this.#say(JSON.stringify(change));
    const text = this.#text(change.file).replace(change.from, () => change.to);
    writeFileSync(join(this.repo.top, change.file), text);
    this.#note(change, 'person');
  }

  personCommits(): void {
    const { top, env } = this.repo;
    const form = this.#pick([
      ['commit', '-qam', 'person'],
      ['commit', '-qm', 'person', '--', 'one'],
    ]);
    const ran = ranIn(top, env, 'git', form);
    this.#say(`${form.join(' ')} ${ran.code} ${ran.stderr}`);
  }

  status(session: ClaudeSession): void {
    session.bash('git status --short; git diff --stat; git diff --cached --stat');
  }

  commit = (session: ClaudeSession): void => this.#git(session, this.#pick(commits));

  move = (session: ClaudeSession): void => this.#git(session, this.#pick(moves));

  #git(session: ClaudeSession, form: string): void {
    const command = form
      .replaceAll('NAME', session.session)
      .replaceAll('COUNT', String((this.#count += 1)))
      .replaceAll('FILE', this.#pick(files));
    const ran = session.bash(command);
    this.#say(`${command} => ${ran.code} ${ran.stderr}`);
  }

  #judge(name: string, deed: string, head: string, before: string): void {
    const step = `step ${this.did.length} ${this.did.at(-1)}`;
    const author = deed === 'personCommits' ? 'person' : name;
    const now = this.repo.git('rev-parse', 'HEAD').trim();
    if (!['edit', 'write', 'shell', 'python', 'person', 'lands'].includes(deed))
      this.#judgeFiles(step, author, before);
    if (now === head || deed === 'move') return;
    const judged = author === 'person' ? files : this.#shared;
    const shown =
      judged.length === 0 ? '' : this.repo.git('diff', '-U0', head, now, '--', ...judged);
    for (const line of shown.split('\n')) {
      if (/^\+[^+]/.test(line) && !line.startsWith(`+${author} `) && !line.startsWith('+base '))
        this.problems.push(`${step}: holds ${line}`);
      const gone = `${line.slice(1)}\n`;
      if (/^-[^-]/.test(line) && this.#removed.get(gone)?.has(author) !== true)
        this.problems.push(`${step}: takes away ${line}`);
    }
    const trees = this.repo.git('rev-parse', `${now}^{tree}`, `${now}^^{tree}`).split('\n');
    if (trees[0] === trees[1]) this.problems.push(`${step}: an empty commit`);
  }

  /** What others have written is still there, whatever is done with git. */
  #judgeFiles(step: string, author: string, before: string): void {
    const now = this.#all();
    const head = files.map((file) => this.repo.git('show', `HEAD:${file}`)).join('');
    for (const line of before.split(/(?<=\n)/))
      if (
        !/^(base|topic) /.test(line) &&
        !line.startsWith(author) &&
        !`${now}${head}`.includes(line)
      )
        this.problems.push(`${step}: lost ${line}`);
  }

  /** Everybody commits what they have; what is left is the person's. */
  end(): void {
    const texts = this.#all();
    for (const session of [...this.#sessions, ...this.#sessions]) {
      this.#shared = this.#sharedFiles();
      const head = this.repo.git('rev-parse', 'HEAD').trim();
      this.did.push(`${session.session} end`);
      this.#git(session, 'git commit -qam NAME');
      this.#judge(session.session, 'commit', head, texts);
    }
    const left = this.repo.git('diff', '-U0', 'HEAD', '--', ...files).split('\n');
    for (const line of left.filter((one) => /^\+[^+]/.test(one)))
      if (!line.startsWith('+person ')) this.problems.push(`end: nobody could commit ${line}`);
    if (this.#all() !== texts) this.problems.push('end: the files have changed');
    this.repo.git('fsck', '--strict', '--no-dangling');
  }
}
