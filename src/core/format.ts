/**
 * The format of the log. A coord reads every format up to `newest`, begins a log in `first` and
 * writes whichever it finds: a log is raised on request alone (`coord doctor --fix`), once every
 * agent at work in it reads the newer one. In format 2 there may be modes of leases that coord 0.1
 * takes for damage.
 */
export const formats = { first: 1, newest: 2 } as const;

/** The coord that a log of the newest format needs at least; the log says so to those before it. */
export const neededCoord = '0.2.0';
