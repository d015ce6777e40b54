/** One step of a walk: who runs what, and what may come of it. Families of deeds are in steps/. */
import type { Environment } from '../support/repository.ts';
import type { Model } from './model.ts';
import type { Scene } from './scene.ts';
import type { Actor, World } from './world.ts';

/** How the commits that a deed makes are judged. */
export type Makes =
  /** One commit of what its author staged; with `also` of work tree content too. */
  | {
      readonly kind: 'index';
      readonly also?: 'all' | readonly string[];
      readonly amends?: true;
      readonly mayBeEmpty?: true;
    }
  /** Commits are made again somewhere else, or merged: they bring and take what those did. */
  | { readonly kind: 'replay' }
  /** One that only has to leave alone what others hold. */
  | { readonly kind: 'any'; readonly amends: boolean };

export interface Deed {
  readonly label: string;
  readonly actor: Actor;
  /** Empty where files are written by hand. */
  readonly argv: readonly string[];
  readonly input?: string;
  readonly env?: Environment;
  readonly byHand?: () => void;
  /** Which file that concerns. */
  readonly about?: string;
  readonly makes?: Makes;
  /** Which unsaved content it may delete: its own author's then, never that of others. */
  readonly wipes?: 'all' | readonly string[];
  /** It puts its author's work somewhere else, and so loses none of it. */
  readonly keepsOwn?: true;
  /** Its author may lose what he committed or stashed. */
  readonly mayDrop?: true;
  /** Refs that it moves, and where to; null where they go. */
  readonly moves?: ReadonlyMap<string, string | null>;
  /** Commits that it makes again, or undoes. */
  readonly sources?: readonly string[];
  /** The place in the list of the stash that it takes from. */
  readonly stash?: number | 'all';
  /** Paths that a script puts into the index or takes out of it. */
  readonly stages?: readonly string[];
  /** Lines that it writes or deletes. */
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  /** What the model learns once it went through. */
  readonly learn?: (model: Model) => void;
  /** A work tree that it removes or moves. */
  readonly removes?: string;
}

/** What a deed is planned from. */
export interface Now {
  readonly world: World;
  readonly model: Model;
  readonly scene: Scene;
  readonly step: number;
  /** How often the walk has done this so far. */
  readonly done: (label: string) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly happens: (probability: number) => boolean;
}

/** Null where it makes no sense at this moment. */
export type Planned = (now: Now, actor: Actor) => Deed | null;

export interface Kind {
  readonly label: string;
  readonly weight: number;
  readonly plan: Planned;
  /** Only sessions know of it, or only a person may. */
  readonly who?: Actor['kind'];
}
