/** A repository in which every answer of coord is looked at, and what was seen of each verb. */
import type { Ran, TestRepository } from '../support/repository.ts';
import { type Session, session } from '../support/sessions.ts';
import { type Judged, judge } from './judge.ts';

export interface Watched extends TestRepository {
  begin(name: string): Session;
}

export class Sights {
  readonly #judged: Judged[] = [];
  readonly #watched: TestRepository[] = [];

  note(args: readonly string[], ran: Ran): Ran {
    this.#judged.push(judge(args, ran.stdout, ran.code));
    return ran;
  }

  watch(repo: TestRepository): Watched {
    this.#watched.push(repo);
    return {
      ...repo,
      coord: (agent, ...args) => this.note(args, repo.coord(agent, ...args)),
      start: (agent, args, env) => {
        const started = repo.start(agent, args, env);
        return { ...started, ended: started.ended.then((ran) => this.note(args, ran)) };
      },
      begin: (name) => {
        const begun = session(repo, name);
        return { ...begun, coord: (...args) => this.note(args, begun.coord(...args)) };
      },
    };
  }

  /** What all that has left in the logs; then a new scene may begin. */
  close(): void {
    for (const repo of this.#watched.splice(0)) {
      this.note(['log'], repo.coord(null, 'log'));
      this.note(['status'], repo.coord(null, 'status'));
    }
  }

  complaints(): readonly string[] {
    return this.#judged.flatMap(({ complaints }) => complaints);
  }

  /** `verb: shape`, of every shape that occurred. */
  shapes(): ReadonlySet<string> {
    return new Set(
      this.#judged.flatMap(({ verb, shapes }) =>
        verb === null ? [] : shapes.map((shape) => `${verb.words}: ${shape}`),
      ),
    );
  }
}
