/**
 * What a log on a server needs of the world around it: clocks, chance, and what its user has
 * chosen.
 */
import type { Settings } from '../core/settings.ts';
import type { Watch } from './pending.ts';

export interface RemoteWorld {
  wallMs(): number;
  uptimeMs(): number;
  /** Names the clock that `uptimeMs` reads. */
  readonly clock: string;
  random(): number;
  sleep(ms: number): Promise<void>;
  /** For what takes long. */
  tell(line: string): void;
  readonly watch: Watch;
  /** Whether the server gets the view too. */
  readonly pushesView: boolean;
  /** Which signatures are made and wanted. */
  readonly sign: Settings['sign'];
  /** Whoever looks by itself, as hooks do, makes do with a copy of a moment ago. */
  readonly isPatient: boolean;
}
